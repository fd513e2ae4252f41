import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { openChromium } from "../../scripts/stack/chromium.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { listWaiting } from "../../src/access/applications.ts";
import { addBusiness } from "../fixtures.ts";
import { runScript, startTestServer } from "../support.ts";
import { openTab, overflow, unlearn, unsaidLists, violations } from "./browser.ts";

// From a first call to a key and its revocation, as a developer in a real browser.
setDefaultTimeout(90_000);

const [server, automatic, browser] = await Promise.all([
  startTestServer(),
  startTestServer({ applications: "auto" }),
  openChromium(),
]);
await addBusiness(server.sql, { name: "The Only Shop" });
afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), automatic.stop()]);
});

test("the first call runs on the page and shows its answer, which screen readers announce once", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  await tab.getByRole("button", { name: "Run it here" }).click();
  const answer = tab.getByRole("region", { name: "The response" });
  await answer.getByText("The Only Shop").waitFor();
  // It has the focus, and is no live region, which would be announced as well.
  expect(await tab.locator(":focus").getAttribute("id")).toBe("answer");
  expect(
    await tab.locator("[role=status], [aria-live]", { hasText: "The Only Shop" }).count(),
  ).toBe(0);
  expect(await answer.textContent()).toMatch(/^200 in \d+ ms\n\n\{\n {2}"businesses": \[/);
  await expectGoodLooks(tab);
});

test("copying announces its outcome, also to screen readers", async () => {
  await using tab = await openTab(browser, server.url);
  const devTools = await browser.newBrowserCDPSession();
  const { targetInfo } = await (await tab.context().newCDPSession(tab)).send(
    "Target.getTargetInfo",
  );
  const allow = (setting: "granted" | "denied") =>
    devTools.send("Browser.setPermission", {
      permission: { name: "clipboard-write" },
      setting,
      origin: server.url,
      browserContextId: targetInfo.browserContextId as string,
    });
  await tab.goto("/developers");
  const sample = tab.locator("figure", { has: tab.locator("#sample-curl") });
  const copy = sample.getByRole("button", { name: "Copy curl" });
  const outcome = sample.getByRole("status");

  await allow("denied");
  await copy.click();
  await outcome.getByText("Not copied").waitFor();
  expect(await tab.evaluate(() => `${getSelection()}`)).toBe(
    (await sample.locator("code").textContent()) as string,
  );
  await expectGoodLooks(tab);

  await allow("granted");
  await copy.click();
  await outcome.getByText("Copied", { exact: true }).waitFor();
});

test("samples are shown in the chosen language", async () => {
  await using tab = await openTab(browser, server.url, { javaScriptEnabled: false });
  await tab.goto("/developers");
  expect(await tab.locator("#sample-python").isVisible()).toBe(false);
  await tab.getByLabel("Python").check();
  expect(await tab.locator("#sample-python").isVisible()).toBe(true);
  expect(await tab.locator("#sample-curl").isVisible()).toBe(false);
});

test("samples are shown in all languages in a browser without :has", async () => {
  await using tab = await openTab(browser, server.url);
  await unlearn(tab, ":has");
  await tab.goto("/developers");
  for (const language of ["curl", "javascript", "python"]) {
    expect(await tab.locator(`#sample-${language}`).isVisible()).toBe(true);
  }
});

test("a sample runs as shown, and the answer shown is the actual one", async () => {
  const { slug } = await addBusiness(server.sql, { name: "Sample Plumbing", postcode: "LS1 6HD" });
  await server.searchable(slug);
  const key = await server.issueKey({ tier: "developer" });
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  const shown = async (id: string) => (await tab.locator(`#${id}`).textContent()) ?? "";

  const path = join(tmpdir(), `highstreet-sample-${crypto.randomUUID()}.mjs`);
  const sample = await shown("sample-javascript");
  await Bun.write(path, sample.replace(server.config.baseUrl, server.url));
  const program = Bun.spawn([process.execPath, path], {
    env: { PATH: process.env.PATH, HIGHSTREET_KEY: key },
    stderr: "inherit",
  });
  expect(await new Response(program.stdout).text()).toContain("Sample Plumbing LS1 6HD\n");

  const [call, answer] = (await shown("paging-example")).split("\n\n");
  const response = await fetch(server.url + call?.replace("GET ", ""), {
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  expect(text.replace(/\[.*\](?=,"meta")/, "[ … ]")).toBe(answer as string);
});

test("apply, wait for an operator, reveal, call, roll, revoke: from a form to a revoked key", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.clock.install();
  await tab.goto("/developers#apply");
  await tab.getByText("after someone has reviewed your application").waitFor();
  await apply(tab, "Ada Shah");
  await tab.getByRole("heading", { name: "Your application is waiting" }).waitFor();
  await tab.getByText("the decision will appear by itself").waitFor();
  // At the top, since few read to the end.
  const main = (await tab.locator("main").textContent()) ?? "";
  expect(main.indexOf("address is the only way back")).toBeLessThan(main.indexOf("What you sent"));
  expect(main).toContain("address is the only way back");
  await expectGoodLooks(tab);

  await issueKey("--application", await newestApplication());
  await tab.clock.fastForward(15_000);
  await tab.getByRole("heading", { name: "Your application is approved" }).waitFor();
  await expectGoodLooks(tab);

  await tab.getByRole("button", { name: "Reveal my key" }).click();
  const first = await shownKey(tab);
  expect(await tab.locator("#key-call").textContent()).toContain(`Bearer ${first}`);
  expect(await told(tab)).toEqual(["Key revealed · Highstreet", "Your new key"]);
  await expectGoodLooks(tab);
  expect(await call(first)).toBe(200);

  await tab.goto(tab.url());
  expect(await tab.content()).not.toContain(first);
  await tab
    .getByText(/1 of 1,000 requests used; resets on 1 [A-Z][a-z]+ \d{4} at 00:00 UTC/)
    .waitFor();
  await tab.getByText(/^\d\d? [A-Z][a-z]+ \d{4}$/).waitFor();
  await tab.emulateMedia({ forcedColors: "active" });
  const frame = await tab.getByRole("meter").evaluate((bar) => getComputedStyle(bar).border);
  expect(frame).toStartWith("1px solid rgb(");
  await tab.emulateMedia({ forcedColors: "none" });
  await expectGoodLooks(tab);

  await tab.getByLabel("Grace period for the old key").selectOption("1 hour");
  await tab.getByRole("button", { name: "Roll" }).click();
  const second = await shownKey(tab);
  expect(second).not.toBe(first);
  expect(await told(tab)).toEqual([
    "Key rolled · Highstreet",
    expect.stringMatching(/^The old key hs_live_\w{4}… works until /),
  ]);
  expect([await call(first), await call(second)]).toEqual([200, 200]);
  await expectGoodLooks(tab);

  await tab.setViewportSize({ width: 1280, height: 740 });
  for (const key of [second, first]) {
    const start = key.slice(0, "hs_live_1234".length);
    await tab.getByText(`Revoke ${start}…`).first().click();
    const warning = await middleOf(tab.locator("details[open]").getByText("It stops"));
    expect(warning).toBeCloseTo(await middleOf(tab.getByRole("button", { name: "Revoke" })), 0);
    await tab.getByRole("button", { name: `Revoke ${start}` }).click();
    await tab.getByText(`${start}… is revoked`).waitFor();
    expect(await told(tab)).toEqual([
      "Key revoked · Highstreet",
      `${start}… is revoked. It stops working everywhere within a second.`,
    ]);
    await until(async () => (await call(key)) === 403, 1_000);
  }
  expect(await tab.getByRole("button", { name: "Revoke" }).count()).toBe(0);
  // There is nothing left to roll.
  await tab.getByText("To get another key, apply again.").waitFor();
  expect(await tab.getByText("Roll a key").count()).toBe(0);
  await expectGoodLooks(tab);
});

test("a double click still shows the key", async () => {
  await using tab = await openTab(browser, automatic.url);
  await tab.goto("/developers#apply");
  await apply(tab, "Hasty");
  await tab.getByRole("button", { name: "Reveal my key" }).waitFor();
  await doubleClick(tab, "[value=reveal]", "**/developers/applications/*");
  await shownKey(tab);
});

test("a form can be sent again after the loading was stopped", async () => {
  await using tab = await openTab(browser, automatic.url);
  await tab.clock.install();
  await tab.goto("/developers#apply");
  const asked = Promise.withResolvers<void>();
  // The first request gets no answer.
  await tab.route("**/developers/applications", () => asked.resolve(), { times: 1 });
  const applied = apply(tab, "Impatient");
  await asked.promise;
  await (await tab.context().newCDPSession(tab)).send("Page.stopLoading");
  await applied;
  await tab.clock.fastForward(10_000);
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  await tab.getByRole("button", { name: "Reveal my key" }).waitFor();
});

test("a declined application says why, and links to another try", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers#apply");
  await apply(tab, "Bob");
  await tab.waitForURL("**/developers/applications/*");
  await issueKey("--decline", await newestApplication(), "--why", "No maps, please");
  await tab.reload();
  await tab.getByText("No maps, please").waitFor();
  await expectGoodLooks(tab);
  await tab.getByRole("link", { name: "apply again" }).click();
  await tab.getByLabel("Email").waitFor();
});

test("an invalid form keeps what was typed, says what is wrong beside the field, and can be corrected", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  await apply(tab, "Ada <b>", "ada at home");
  await tab.getByText("That is not an email address").waitFor();
  expect(await tab.title()).toBe("Not sent: get a free key · Highstreet");
  expect(await tab.locator(":focus").textContent()).toContain("check the marked fields");
  expect(await tab.getByLabel("Your name or company").inputValue()).toBe("Ada <b>");
  expect(await tab.getByLabel("Email").inputValue()).toBe("ada at home");
  expect(await tab.getByLabel("Email").getAttribute("aria-describedby")).toBe("email-fault");
  expect(await tab.getByLabel("What do you want to build?").inputValue()).toBe(
    "A map\nof bakeries",
  );
  await expectGoodLooks(tab);
  // The error links to its field, without a script.
  await tab.getByRole("alert").getByRole("link").click();
  expect(await tab.locator(":focus").getAttribute("id")).toBe("email");
  expect(await tab.getByLabel("Email").inputValue()).toBe("ada at home");
  await tab.getByLabel("Email").fill("ada@home.example");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  await tab.getByRole("heading", { name: "Your application is waiting" }).waitFor();
});

test("a pasted text that is too long is kept whole, and the form says so instead of cutting it off", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers#apply");
  const purpose = tab.getByLabel("What do you want to build?");
  await purpose.focus();
  const text = `${"A map. ".repeat(300)}The end.`;
  await tab.keyboard.insertText(text);
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  await tab.getByText("At most 2,000 characters, please.").waitFor();
  expect(await purpose.inputValue()).toBe(text);
});

test("going back to an invalid form shows it as it was, with what was typed", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  await apply(tab, "Ada <b>", "ada at home");
  await tab.getByRole("link", { name: "About the API" }).click();
  await tab.waitForURL("**/developers");
  await tab.goBack();
  await tab.getByText("That is not an email address").waitFor();
  expect(await tab.getByLabel("Your name or company").inputValue()).toBe("Ada <b>");
  expect(await tab.getByLabel("Email").inputValue()).toBe("ada at home");

  await tab.getByLabel("Email").fill("ada@home.example");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  await tab.getByRole("heading", { name: "Your application is waiting" }).waitFor();
  await tab.goBack();
  await tab.getByText("That is not an email address").waitFor();
  expect(await tab.getByLabel("Your name or company").inputValue()).toBe("Ada <b>");
});

test("a corrected form is sent once despite a double click", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  await apply(tab, "Twice", "twice at home");
  await tab.getByLabel("Email").fill("twice@home.example");
  await doubleClick(tab, "main [type=submit]", "**/developers/applications");
  await tab.getByRole("heading", { name: "Your application is waiting" }).waitFor();
  const waiting = await listWaiting(server.sql);
  expect(waiting.filter(({ name }) => name === "Twice")).toHaveLength(1);
});

test("a key can be had without JavaScript, with the keyboard alone, on a phone in dark mode", async () => {
  await using tab = await openTab(browser, automatic.url, {
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
    colorScheme: "dark",
  });
  await tab.goto("/developers");
  for (const button of ["Run it here", "Copy"]) {
    expect(await tab.getByRole("button", { name: button }).count()).toBe(0);
  }
  await tab.getByRole("link", { name: "Get a free key" }).first().press("Enter");
  for (const text of ["Ada Shah", "ada@client.example", "A map of bakeries"]) {
    await tab.keyboard.press("Tab");
    await tab.keyboard.type(text);
  }
  await tab.keyboard.press("Tab");
  await tab.keyboard.press("Enter");
  await tab.waitForURL("**/developers/applications/*");
  await tab.getByRole("button", { name: "Reveal my key" }).press("Enter");
  expect(await shownKey(tab)).toMatch(/^hs_live_/);
});

async function apply(tab: Page, name: string, email = "ada@client.example") {
  await tab.getByLabel("Your name or company").fill(name);
  await tab.getByLabel("Email").fill(email);
  await tab.getByLabel("What do you want to build?").fill("A map\nof bakeries");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
}

/** Clicks twice before the first click is answered from `address`. */
async function doubleClick(tab: Page, selector: string, address: string) {
  const { promise: clicked, resolve: answer } = Promise.withResolvers<void>();
  await tab.route(address, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await clicked;
    await route.fulfill({ response });
  });
  // From within the page: Playwright's own clicks wait for the answer. A second click that is not ignored
  // abandons the first request meanwhile.
  await tab.locator(selector).evaluate(async (button: HTMLElement) => {
    for (let clicks = 0; clicks < 2; clicks++) {
      button.click();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  });
  answer();
}

/** What a screen reader announces first on a new page: its title, and what has the focus. */
const told = async (tab: Page) => [await tab.title(), await tab.locator(":focus").textContent()];

const shownKey = async (tab: Page) => (await tab.locator("#key").textContent()) ?? "";

const newestApplication = async () => (await listWaiting(server.sql)).at(-1)?.id ?? "";

/** Runs issue-key, as an operator would. */
async function issueKey(...args: string[]) {
  const { stderr, exitCode } = await runScript(server.config.databaseUrl, "issue-key", args);
  expect([stderr, exitCode]).toEqual(["", 0]);
}

/** In pixels from the top. */
async function middleOf(shown: Locator): Promise<number> {
  const { y = 0, height = 0 } = (await shown.boundingBox()) ?? {};
  return y + height / 2;
}

async function expectGoodLooks(tab: Page) {
  expect(await violations(tab)).toEqual([]);
  expect(await unsaidLists(tab)).toEqual([]);
  await tab.setViewportSize({ width: 360, height: 740 });
  expect(await overflow(tab)).toBe(0);
}

/** The status of a call with a key. */
async function call(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${server.url}/api/v1/categories`, { headers })).status;
}
