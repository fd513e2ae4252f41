import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openChromium } from "../../scripts/stack/chromium.ts";
import { declineApplication, listWaiting } from "../../src/access/applications.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer, type TestServer } from "../support.ts";
import { openTab, overflow, violations } from "./browser.ts";

// The pages as a person meets them, in a real browser, which a busy machine may slow down a lot.
setDefaultTimeout(60_000);

let server: TestServer;
let reviewing: TestServer;
let browser: Browser;
beforeAll(async () => {
  [server, reviewing, browser] = await Promise.all([
    startTestServer({ applications: "auto" }),
    startTestServer(),
    openChromium(),
  ]);
  const { sql } = server;
  for (let number = 1; number <= 45; number++) await addBusiness(sql, { reviewCount: number });
  await addBusiness(sql, {
    slug: "night-owl",
    name: "The Night Owl Bakery",
    category: "bakeries",
    isClaimed: true,
    isVerified: true,
    isPremium: true,
    openingHours: [
      { day: "FRIDAY", openTime: "18:00", closeTime: "02:00", isClosed: false, is24Hours: false },
      { day: "SUNDAY", openTime: "", closeTime: "", isClosed: true, is24Hours: false },
    ],
  });
  await server.searchable("night-owl");
});
afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), reviewing.stop()]);
});

const paths = [
  "/",
  "/search?q=plumbers",
  "/search?q=bakery&city=atlantis",
  "/businesses/night-owl",
  "/categories/building-trades",
  "/categories/plumbers?city=leeds",
  "/cities/leeds",
  "/developers",
];

describe("looks", () => {
  for (const [name, options] of [
    ["a phone in the dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
    ["a desk by day", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ] as const) {
    test(`on ${name}, axe finds nothing wrong with any page`, async () => {
      const { tab, close } = await openTab(browser, server.url, options);
      for (const path of paths) {
        expect((await tab.goto(path))?.status()).toBe(200);
        expect([path, ...(await violations(tab))]).toEqual([path]);
      }
      await close();
    });
  }

  test("nothing sticks out of a window of 320, 360 or 1,920 pixels", async () => {
    const { tab, close } = await openTab(browser, server.url);
    for (const path of paths) {
      await tab.goto(path);
      for (const width of [320, 360, 1920]) {
        await tab.setViewportSize({ width, height: 700 });
        expect([path, width, await overflow(tab)]).toEqual([path, width, 0]);
      }
    }
    await close();
  });

  test("a page that does not exist is as good as any", async () => {
    const { tab } = await openTab(browser, server.url);
    expect((await tab.goto("/nothing"))?.status()).toBe(404);
    expect(await violations(tab)).toEqual([]);
    await tab.context().close();
  });
});

describe("the directory", () => {
  test("search forgives a typing error and leads to the business", async () => {
    const { tab, close } = await openTab(browser, server.url);
    await tab.goto("/");
    await tab.getByLabel("What are you looking for?").fill("nihgt owl bakry leeds");
    await tab.getByRole("button", { name: "Search" }).click();
    await tab.getByRole("link", { name: "The Night Owl Bakery" }).click();
    await tab.getByRole("heading", { level: 1, name: "The Night Owl Bakery" }).waitFor();
    expect(await tab.getByRole("row", { name: "Friday" }).textContent()).toContain(
      "18:00 to 02:00",
    );
    expect(
      await tab.getByRole("link", { name: "Show on OpenStreetMap" }).getAttribute("href"),
    ).toStartWith("https://www.openstreetmap.org/?mlat=53.7974");
    await close();
  });

  test("pages of results follow one another, each business once, and end", async () => {
    const { tab, close } = await openTab(browser, server.url);
    await tab.goto("/search?q=test+shop");
    const seen: string[] = [];
    for (;;) {
      seen.push(...(await tab.locator(".cards h2").allInnerTexts()));
      const next = tab.getByRole("link", { name: "Next page" });
      if ((await next.count()) === 0) break;
      await next.click();
    }
    expect([seen.length, new Set(seen).size]).toEqual([45, 45]);
    expect(await tab.getByRole("link", { name: "Page 3" }).getAttribute("aria-current")).toBe(
      "page",
    );
    await close();
  });

  test("works without JavaScript: filters, lists, a business, and an application", async () => {
    const { tab, close } = await openTab(browser, server.url, { javaScriptEnabled: false });
    await tab.goto("/search?q=shop");
    await tab.getByLabel("Town").fill("leeds");
    await tab.getByLabel("Category").selectOption("bakeries");
    await tab.locator("main").getByRole("button", { name: "Search" }).click();
    await tab.getByText("1 business", { exact: true }).waitFor();
    expect(await tab.locator(".cards h2").allTextContents()).toEqual(["The Night Owl Bakery"]);
    await tab.goto("/cities/leeds");
    await tab.getByRole("link", { name: "The Night Owl Bakery" }).click();
    await tab.goto("/developers");
    expect(await tab.getByRole("button", { name: "Run it here" }).count()).toBe(0);
    await applyAs(tab, "No Script");
    await tab.getByRole("button", { name: "Reveal my key" }).click();
    expect(await tab.locator("#key").textContent()).toMatch(/^hs_live_/);
    await close();
  });

  test("can be used with the keyboard alone", async () => {
    const { tab, close } = await openTab(browser, server.url);
    await tab.goto("/");
    await tab.keyboard.press("Tab");
    expect(await tab.locator(":focus").textContent()).toBe("Skip to the content");
    await tab.keyboard.press("Enter");
    await tab.keyboard.press("Tab");
    await tab.keyboard.type("night owl");
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/search?q=night+owl");
    await tabTo(tab, "The Night Owl Bakery");
    await tab.keyboard.press("Enter");
    await tab.waitForURL("**/businesses/night-owl");
    await close();
  });
});

/** Presses Tab until the link of that name has the focus. */
async function tabTo(tab: Tab, name: string) {
  for (let presses = 0; presses < 60; presses++) {
    await tab.keyboard.press("Tab");
    const focused = tab.locator(":focus");
    if ((await focused.count()) > 0 && (await focused.textContent()) === name) return;
  }
  throw new Error(`Tab never came to ${name}`);
}

type Tab = Awaited<ReturnType<typeof openTab>>["tab"];

async function applyAs(tab: Tab, name: string) {
  await tab.getByLabel("Your name or company").fill(name);
  await tab.getByLabel("Email").fill("ada@client.example");
  await tab.getByLabel("What do you want to make?").fill("A map\nof bakeries");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
}

describe("for developers", () => {
  test("the first call runs on the page and shows its answer", async () => {
    const { tab, close } = await openTab(browser, server.url);
    await tab.goto("/developers");
    await tab.getByRole("button", { name: "Run it here" }).click();
    const answer = tab.getByRole("status", { name: "The answer" });
    await tab.waitForFunction(() => document.getElementById("answer")?.textContent?.includes("{"));
    expect(await answer.textContent()).toMatch(/^200 in \d+ ms\n\n\{\n {2}"businesses": \[/);
    expect(await violations(tab)).toEqual([]);
    await close();
  });

  test("apply, reveal, call, roll, revoke: from a form to a working key and its end", async () => {
    const { tab, close } = await openTab(browser, server.url);
    await tab.goto("/developers#apply");
    await applyAs(tab, "Ada");
    await tab.waitForURL("**/developers/applications/*");
    expect(await violations(tab)).toEqual([]);
    await tab.getByRole("button", { name: "Reveal my key" }).click();
    const key = (await tab.locator("#key").textContent()) ?? "";
    expect(await violations(tab)).toEqual([]);
    expect(await tab.locator("#key-call").textContent()).toContain(`Bearer ${key}`);
    expect(await call(key)).toBe(200);

    await tab.goto(tab.url());
    expect(await tab.content()).not.toContain(key);
    await tab.getByText("1 of 1,000 requests used").waitFor();
    expect(await violations(tab)).toEqual([]);

    await tab.getByLabel("The old key goes on working").selectOption("not at all");
    await tab.getByRole("button", { name: "Roll" }).click();
    const rolled = (await tab.locator("#key").textContent()) ?? "";
    expect(rolled).not.toBe(key);
    await expectStatus(key, 403);
    expect(await call(rolled)).toBe(200);

    await tab.getByRole("button", { name: "Revoke" }).click();
    await tab.getByText("is revoked").waitFor();
    await expectStatus(rolled, 403);
    expect(await tab.getByRole("button", { name: "Revoke" }).count()).toBe(0);
    expect(await violations(tab)).toEqual([]);
    await close();
  });

  test("a faulty form keeps what was typed, and a good one waits until it is decided", async () => {
    // The browser itself calls an answer of 422 an error on its console.
    const { tab } = await openTab(browser, reviewing.url);
    await tab.goto("/developers");
    await tab.getByLabel("Your name or company").fill("Ada <b>");
    await tab.getByLabel("Email").fill("ada at home");
    await tab.getByRole("button", { name: "Apply for a key" }).click();
    await tab.getByText("That is not an email address").waitFor();
    expect(await tab.locator(":focus").textContent()).toContain("look at the marked fields");
    expect(await tab.getByLabel("Your name or company").inputValue()).toBe("Ada <b>");
    expect(await tab.getByLabel("Email").inputValue()).toBe("ada at home");
    expect(await tab.getByLabel("Email").getAttribute("aria-describedby")).toBe("email-fault");
    expect(await violations(tab)).toEqual([]);

    await tab.getByLabel("Email").fill("ada@home.example");
    await tab.getByLabel("What do you want to make?").fill("A map");
    await tab.getByRole("button", { name: "Apply for a key" }).click();
    await tab.getByRole("heading", { name: "Your application is waiting" }).waitFor();
    expect(await violations(tab)).toEqual([]);

    const [application] = await listWaiting(reviewing.sql);
    await declineApplication(reviewing.sql, application?.id ?? "", "No maps, please");
    await tab.goto(tab.url());
    await tab.getByText("No maps, please").waitFor();
    expect(await violations(tab)).toEqual([]);
    await tab.context().close();
  });
});

/** The status of a call with a key. */
async function call(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${server.url}/api/v1/categories`, { headers })).status;
}

async function expectStatus(key: string, status: number) {
  const deadline = Date.now() + 1_000;
  while (Date.now() < deadline && (await call(key)) !== status) await Bun.sleep(20);
  expect(await call(key)).toBe(status);
}
