import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { openChromium } from "../../scripts/stack/chromium.ts";
import { weekdays } from "../../src/directory/weekdays.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";
import { brokenWords, openTab, overflow, unlearn, unsaidLists, violations } from "./browser.ts";

// The directory in a real browser, which a busy machine may slow down a lot.
setDefaultTimeout(90_000);

const [server, browser] = await Promise.all([startTestServer(), openChromium()]);
const { sql } = server;
for (let number = 1; number <= 45; number++) await addBusiness(sql, { reviewCount: number });
await addBusiness(sql, {
  slug: "night-owl",
  name: "The Night Owl Bakery",
  category: "bakeries",
  isClaimed: true,
  isVerified: true,
  isPremium: true,
  photos: [
    { url: "https://images.example/owl/1.png", caption: "The oven", isCover: true },
    { url: "https://images.example/owl/2.png", caption: "", isCover: false },
  ],
  openingHours: [
    { day: "FRIDAY", openTime: "18:00", closeTime: "02:00", isClosed: false, is24Hours: false },
    { day: "SUNDAY", openTime: "", closeTime: "", isClosed: true, is24Hours: false },
  ],
});
await server.searchable("night-owl");
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const pages = [
  "/",
  "/search",
  "/search?q=plumbers",
  "/search?q=bakery&city=atlantis",
  "/businesses/night-owl",
  "/cities",
  "/categories/building-trades",
  "/categories/plumbers?city=leeds&page=2",
  "/cities/leeds",
  "/developers",
  "/nothing",
  "/search?q=shop&page=abc",
];

describe("no page", () => {
  // All of these look at each page once it is open, since opening it takes longest.
  const violated: string[] = [];
  const unsaid: string[] = [];
  const tooWide: string[] = [];
  const enlarged: string[] = [];
  const broken: string[] = [];
  const widths: number[] = [];
  beforeAll(async () => {
    const asks = ["https://images.example"];
    await using tab = await openTab(browser, server.url, { asks });
    await tab.route("https://images.example/**", (route) =>
      route.fulfill({ contentType: "image/png", body: PIXEL }),
    );
    const devTools = await tab.context().newCDPSession(tab);
    await devTools.send("Page.enable");
    const enlarge = (standard: number) =>
      devTools.send("Page.setFontSizes", { fontSizes: { standard } });
    const rules = { "target-size": { enabled: true } };
    for (const path of [...pages, "/businesses/night-owl?photos=show"]) {
      const note = (faults: string[], found: unknown[]) =>
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      const noteOverflow = async (faults: string[], width: number) => {
        await tab.setViewportSize({ width, height: 740 });
        const pixels = await overflow(tab);
        if (pixels > 0) note(faults, [`${pixels} pixels at ${width}`]);
      };
      await tab.goto(path);
      note(violated, await violations(tab, { rules }));
      note(unsaid, await unsaidLists(tab));
      for (const width of [320, 360, 1920]) await noteOverflow(tooWide, width);
      await enlarge(32);
      for (const width of [360, 320]) await noteOverflow(enlarged, width);
      note(broken, await brokenWords(tab.locator("h1, h2, th, td")));
      widths.push((await tab.getByRole("searchbox").first().boundingBox())?.width ?? 0);
      await enlarge(16);
    }
  }, 180_000);

  test("has anything that axe finds wrong, light or dark, on a phone or a desktop", () => {
    expect(violated).toEqual([]);
  });

  test("has a list that screen readers do not announce as one because of its styling", () => {
    expect(unsaid).toEqual([]);
  });

  test("overflows a window of 320, 360 or 1,920 pixels", () => {
    expect(tooWide).toEqual([]);
  });

  test("overflows a phone with text twice as large, where what is typed can still be seen", () => {
    expect(enlarged).toEqual([]);
    // The full width between the margins, which do not grow with the text: that would break words.
    expect(new Set(widths)).toEqual(new Set([280]));
  });

  test("breaks a word of a heading or a table on the narrowest phone with text twice as large", () => {
    expect(broken).toEqual([]);
  });
});

test("a business without phone or email has no empty list", async () => {
  await using tab = await openTab(browser, server.url);
  const { slug } = await addBusiness(server.sql, { name: "The Hermit", phone: "", email: "" });
  await tab.goto(`/businesses/${slug}`);
  const lists = await tab.getByRole("list").all();
  // The breadcrumbs, and the footer.
  expect(lists.length).toBe(2);
  for (const list of lists) {
    expect(await list.getByRole("listitem").count()).toBeGreaterThan(0);
  }
});

test("on a narrow phone, the hours of a day fit on one line", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 320, height: 700 },
  });
  await tab.goto("/businesses/night-owl");
  const lines = await tab.locator(".interval", { hasText: "18:00 to 02:00" }).evaluate((shown) => {
    const range = document.createRange();
    range.selectNodeContents(shown);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
});

test("where the hours of a day take several lines, no line breaks between opening and closing", async () => {
  await using tab = await openTab(browser, server.url);
  const { slug } = await addBusiness(server.sql, {
    name: "The Lunch Break",
    openingHours: weekdays.flatMap((day) =>
      [
        { openTime: "09:00", closeTime: "12:30" },
        { openTime: "13:30", closeTime: "17:00" },
      ].map((times) => ({ day, ...times, isClosed: false, is24Hours: false })),
    ),
  });
  await tab.goto(`/businesses/${slug}`);
  for (const width of [360, 390, 1280]) {
    await tab.setViewportSize({ width, height: 700 });
    const lines = await tab.locator(".hours td").evaluateAll((cells) =>
      cells.map((cell) => {
        const words = [];
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text) {
          for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            words.push({ word, top: range.getBoundingClientRect().top });
          }
        }
        const lines = Map.groupBy(words, ({ top }) => top);
        return [...lines.values()].map((line) => line.map(({ word }) => word).join(" "));
      }),
    );
    expect(lines.length).toBe(7);
    const broken = lines.flat().filter((line) => !/^(\S+ to \S+( |$))+$/.test(line));
    expect([width, ...broken]).toEqual([width]);
  }
});

test("the column headings of the errors fit on one line each", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  for (const width of [320, 1280]) {
    await tab.setViewportSize({ width, height: 740 });
    const lines = await tab.locator(".meanings th").evaluateAll((heads) =>
      heads.map((head) => {
        const range = document.createRange();
        range.selectNodeContents(head);
        return range.getClientRects().length;
      }),
    );
    expect([width, lines]).toEqual([width, [1, 1]]);
  }
});

test("in two columns on a phone, a count keeps its distance from the name on its right", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 390, height: 740 },
  });
  await tab.goto("/");
  const gaps = await tab.locator(".counted .count").evaluateAll((counts) =>
    counts.flatMap((count) => {
      const [here, next] = [count, count.closest("li")?.nextElementSibling?.querySelector("a")].map(
        (element) => element?.getBoundingClientRect(),
      );
      return here && next && next.left > here.right ? [next.left - here.right] : [];
    }),
  );
  expect(gaps.length).toBeGreaterThan(0);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(24);
});

test("a photo that cannot be loaded shows its whole caption, however long", async () => {
  await using tab = await openTab(browser, server.url);
  const caption = "The front of the shop on the day it opened. ".repeat(20).trim();
  // A failed photo would be an error on the console, so these load with an empty body.
  await tab.route("**/photo/*", (route) => route.fulfill({ contentType: "image/png", body: "" }));
  const photos = [1, 2].map((number) => ({
    url: `${server.url}/photo/${number}`,
    caption,
    isCover: false,
  }));
  const { slug } = await addBusiness(server.sql, { name: "A Studio", photos });
  await tab.goto(`/businesses/${slug}?photos=show`);
  const shown = await tab.locator(".photos img").all();
  expect(shown.length).toBe(2);
  for (const photo of shown) {
    await photo.scrollIntoViewIfNeeded();
    const heights = await photo.evaluate((image) => [
      image.clientHeight,
      Number.parseFloat(getComputedStyle(image, "::after").height),
    ]);
    expect(heights[1]).toBeCloseTo(heights[0] ?? 0, 0);
  }
});

test("on a phone, a count is beside even a long name, but no word is broken to make room for it", async () => {
  await using large = await startTestServer();
  await addBusiness(large.sql, { category: "hotels", city: "Wolverhampton" });
  await using tab = await openTab(browser, large.url, {
    viewport: { width: 360, height: 740 },
  });
  // Only counted: so many would take long to add and to index.
  await large.sql`update listing_counts set change = 97`;
  await tab.goto("/");
  const shown = tab.locator(".counted li", { hasText: "Travel and accommodation" }).first();
  const [link, count] = await Promise.all([
    shown.getByRole("link").boundingBox(),
    shown.getByText("97").boundingBox(),
  ]);
  expect(count?.y).toBe(link?.y ?? Number.NaN);
  expect((count?.x ?? 0) - (link?.x ?? 0) - (link?.width ?? 0)).toBeGreaterThanOrEqual(8);

  await large.sql`update listing_counts set change = 11000`;
  for (const [path, name] of [
    ["/", "Travel and accommodation"],
    ["/cities", "Wolverhampton"],
  ] as const) {
    await tab.goto(path);
    const item = tab.locator(".counted li", { hasText: name }).first();
    expect(await item.locator(".count").textContent()).toMatch(/\d\d,000/);
    const link = item.getByRole("link", { name });
    expect(await brokenWords(link)).toEqual([]);
    expect(await overflow(tab)).toBe(0);
  }
});

test("the search form is one row on a tablet, with an invalid field as large as the others", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 768, height: 700 },
  });
  await tab.goto("/search?q=shop&city=atlantis");
  const boxes = await tab.locator(".filters :is(input, select, button)").evaluateAll((fields) =>
    fields.map((field) => {
      const { y, height } = field.getBoundingClientRect();
      return { y, height };
    }),
  );
  expect(boxes.length).toBe(4);
  expect(new Set(boxes.map(({ y, height }) => `${y} ${height}`)).size).toBe(1);
});

test("touch targets on a phone are large enough: names, the phone, the email, the footer", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 360, height: 740 },
  });
  const targets = async (selector: string) =>
    await tab.locator(selector).evaluateAll((links) =>
      links.map((link) => {
        const { top, bottom } = link.getBoundingClientRect();
        return { top, bottom, text: link.textContent };
      }),
    );
  for (const [path, selector] of [
    ["/cities/leeds", ".cards h2 a"],
    ["/businesses/night-owl", ".lines a"],
    ["/businesses/night-owl", "footer a"],
    ["/businesses/night-owl", ".brand"],
  ] as const) {
    await tab.goto(path);
    const found = await targets(selector);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ top, bottom }) => bottom - top < 35)).toEqual([]);
    if (selector === "footer a") continue;
    const overlapping = found.filter(({ top }, place) => top < (found[place - 1]?.bottom ?? 0));
    expect(overlapping).toEqual([]);
  }
});

for (const [colorScheme, ink] of [
  ["light", "rgb(27, 36, 38)"],
  ["dark", "rgb(233, 237, 237)"],
] as const) {
  test(`a browser without light-dark() shows text, buttons, fields and the focus in ${colorScheme} mode`, async () => {
    await using tab = await openTab(browser, server.url, { colorScheme });
    await unlearn(tab, "light-dark");
    await tab.goto("/");
    expect(await tab.evaluate(() => getComputedStyle(document.body).color)).toBe(ink);
    const form = tab.locator("main search");
    const background = await form
      .getByRole("button")
      .evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(background).toStartWith("rgb(");
    const field = form.getByRole("searchbox");
    await field.focus();
    const frames = await field.evaluate((input) => {
      const { borderWidth, outlineWidth, outlineStyle } = getComputedStyle(input);
      return [borderWidth, outlineWidth, outlineStyle];
    });
    expect(frames).toEqual(["1px", "3px", "solid"]);
  });
}

test("focus changes no shape, and its outline lies within the window", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/search");
  for (const field of [tab.getByLabel("What"), tab.getByRole("button", { name: "Search" })]) {
    const corners = () => field.evaluate((shown) => getComputedStyle(shown).borderRadius);
    const before = await corners();
    await field.focus();
    expect(await corners()).toBe(before);
  }
  await tab.goto("/");
  await tab.keyboard.press("Tab");
  const skip = tab.getByRole("link", { name: "Skip to the content" });
  const { x = 0, y = 0 } = (await skip.boundingBox()) ?? {};
  const frame = await skip.evaluate((link) => {
    const { outlineWidth, outlineOffset } = getComputedStyle(link);
    return Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  });
  expect(frame).toBeGreaterThan(2);
  expect(Math.min(x, y)).toBeGreaterThanOrEqual(frame);
});

test("a link that is cut off by the lower edge of the window is shown with its whole outline when tabbed to", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/cities/leeds");
  const names = tab.locator(".cards h2 a");
  const { y = 0 } = (await names.nth(2).boundingBox()) ?? {};
  const height = Math.round(y) + 10;
  await tab.setViewportSize({ width: 1280, height });
  await names.nth(1).focus();
  await tab.keyboard.press("Tab");
  const { text, end } = await tab.locator(":focus").evaluate((focused) => {
    const { outlineWidth, outlineOffset } = getComputedStyle(focused);
    const frame = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
    return { text: focused.textContent, end: focused.getBoundingClientRect().bottom + frame };
  });
  expect(text).toBe((await names.nth(2).textContent()) as string);
  expect(end).toBeLessThanOrEqual(height);
});

test("with forced colours, the link to the page that is shown looks different when it has the focus", async () => {
  await using tab = await openTab(browser, server.url, { forcedColors: "active" });
  await tab.goto("/cities/leeds");
  const outline = (link: Locator) =>
    link.evaluate((shown) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      return `${outlineWidth} ${outlineStyle}`;
    });
  const shown = tab.getByRole("link", { name: "Page 1" });
  expect(await outline(shown)).toBe("2px solid");
  await tab.getByRole("link", { name: "Page 2" }).focus();
  await tab.keyboard.press("Shift+Tab");
  expect(await outline(tab.locator(":focus"))).toBe("3px solid");
  expect(await tab.locator(":focus").getAttribute("aria-current")).toBe("page");
});

test("the tab order through the header is the visual order", async () => {
  await using tab = await openTab(browser, server.url);
  for (const width of [360, 768, 1280]) {
    await tab.setViewportSize({ width, height: 740 });
    await tab.goto("/cities");
    await tab.getByRole("link", { name: "Skip to the content" }).focus();
    const seen: { top: number; left: number }[] = [];
    for (let stops = 0; stops < 4; stops++) {
      await tab.keyboard.press("Tab");
      const { x = 0, y = 0, height = 0 } = (await tab.locator(":focus").boundingBox()) ?? {};
      // Elements of one row share its middle.
      seen.push({ top: Math.round(y + height / 2), left: x });
    }
    const inOrder = seen.toSorted((one, other) => one.top - other.top || one.left - other.left);
    expect([width, seen]).toEqual([width, inOrder]);
  }
});

test("on the narrowest phone, the placeholder of the search box is not cut off", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 320, height: 700 },
  });
  for (const path of ["/", "/developers"]) {
    await tab.goto(path);
    const { needed, room } = await tab.getByRole("searchbox").evaluate((field) => {
      const { placeholder } = field as HTMLInputElement;
      const canvas = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
      canvas.font = getComputedStyle(field).font;
      return {
        needed: canvas.measureText(placeholder).width,
        room: Number.parseFloat(getComputedStyle(field, "::placeholder").width),
      };
    });
    expect(needed).toBeGreaterThan(100);
    expect(room).toBeGreaterThanOrEqual(needed);
  }
});

test("each button of the developers' page has a unique name", async () => {
  await using tab = await openTab(browser, server.url);
  await tab.goto("/developers");
  const names = await tab.getByRole("button").allTextContents();
  expect(names.length).toBeGreaterThan(4);
  expect(names).toEqual([...new Set(names)]);
});

test("on a phone, calls and answers are shown whole, and are no useless tab stops", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 320, height: 700 },
  });
  await tab.goto("/developers");
  await tab.getByRole("button", { name: "Run it here" }).click();
  await tab.locator("#answer:focus").waitFor();
  const codes = await tab.locator("pre:visible").all();
  expect(codes.length).toBeGreaterThan(3);
  for (const code of codes) {
    const { hidden, stops } = await code.evaluate((pre) => ({
      hidden: pre.scrollWidth - pre.clientWidth,
      stops: pre.tabIndex >= 0,
    }));
    expect([await code.textContent(), hidden, stops]).toEqual([await code.textContent(), 0, false]);
  }
});

test("on a narrow phone, the outcome of copying is shown below the button, in whole words", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 320, height: 700 },
  });
  await tab.goto("/developers");
  await tab.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const button = tab.getByRole("button", { name: "Copy" }).first();
  await button.click();
  const outcome = tab.getByText("Not copied: your browser");
  const [above, below] = [await button.boundingBox(), await outcome.boundingBox()];
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
  expect(below?.width).toBeGreaterThan(200);
  const isOneLine = (element: Element) =>
    element.getClientRects().length === 1 && element.clientHeight < 48;
  expect(await button.evaluate(isOneLine)).toBe(true);
});

test("on paper, a page is complete, dark on white, with the footer's text and without controls", async () => {
  await using tab = await openTab(browser, server.url, {
    viewport: { width: 720, height: 700 },
  });
  await tab.emulateMedia({ media: "print", colorScheme: "dark" });
  const textColour = () => tab.evaluate(() => getComputedStyle(document.body).color);
  for (const [path, hasCode] of [
    ["/businesses/night-owl", false],
    ["/developers", true],
  ] as const) {
    await tab.goto(path);
    expect(await textColour()).toBe("rgb(27, 36, 38)");
    expect(await tab.getByText("is an open-source directory").isVisible()).toBe(true);
    // For many businesses nothing else says what kind they are.
    const category = tab.getByRole("link", { name: "Bakeries and cake shops" });
    expect(await category.isVisible()).toBe(!hasCode);
    expect(await tab.locator("footer").getByRole("link").count()).toBe(0);
    expect(await tab.getByRole("button").count()).toBe(0);
    const codes = await tab.locator("pre:visible").all();
    expect(codes.length > 0).toBe(hasCode);
    for (const code of codes) {
      expect(await code.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
    }
  }
  const elsewhere = { name: "Elsewhere", city: "York", shortDescription: "", description: "" };
  await addBusiness(server.sql, elsewhere);
  await tab.goto("/categories/plumbers");
  const towns = tab.getByText("Choose a town");
  expect([await towns.count(), await towns.isVisible()]).toEqual([1, false]);
  await tab.goto("/businesses/night-owl");
  expect(await tab.getByRole("link", { name: "Website" }).isVisible()).toBe(true);
  expect(await tab.getByRole("link", { name: "Show the photos" }).isVisible()).toBe(false);

  // Whether it is open now is shown on the screen only.
  const { slug } = await addBusiness(server.sql, {
    name: "Round the Clock",
    shortDescription: "Always open.",
    description: "",
    openingHours: weekdays.map((day) => ({
      day,
      openTime: "",
      closeTime: "",
      isClosed: false,
      is24Hours: true,
    })),
  });
  await tab.goto(`/businesses/${slug}`);
  const state = tab.getByText("Open now, all day");
  const today = tab.locator(".today th");
  const weight = () => today.evaluate((head) => getComputedStyle(head).fontWeight);
  expect([await state.isVisible(), await weight()]).toEqual([false, "400"]);
  await tab.emulateMedia({ media: "screen" });
  expect([await state.isVisible(), await weight()]).toEqual([true, "700"]);
});

describe("the directory", () => {
  test("search tolerates typing errors and leads to the business", async () => {
    await using tab = await openTab(browser, server.url);
    await tab.goto("/");
    await tab.getByLabel("What are you looking for?").fill("nihgt owl bakry leeds");
    await tab.getByRole("button", { name: "Search" }).click();
    await tab.getByRole("link", { name: "The Night Owl Bakery" }).click();
    await tab.getByRole("heading", { level: 1, name: "The Night Owl Bakery" }).waitFor();
    expect(await tab.getByRole("row", { name: "Friday" }).textContent()).toContain(
      "18:00 to 02:00",
    );
    expect(
      await tab.getByRole("link", { name: "Map on OpenStreetMap" }).getAttribute("href"),
    ).toStartWith("https://www.openstreetmap.org/?mlat=53.7974");
  });

  test("pages of results follow one another, with each business once, to the last", async () => {
    await using tab = await openTab(browser, server.url);
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
  });

  test("shows a business's text as written: line breaks and right-to-left script", async () => {
    await using tab = await openTab(browser, server.url);
    const { slug } = await addBusiness(server.sql, {
      name: "مطعم الشام!",
      addressLine1: "12 شارع الملك!",
      city: "Shamtown",
      description: "We sell:\n- bread\n- cakes\n\nAnd tea.",
    });
    await tab.goto(`/businesses/${slug}`);
    const about = tab.locator("section").filter({ hasText: "About" });
    expect((await about.allInnerTexts()).join().split("\n").filter(Boolean)).toEqual([
      "About",
      "We sell:",
      "- bread",
      "- cakes",
      "And tea.",
    ]);
    // Right-to-left text ends on its left, also within left-to-right text.
    const isFromTheRight = (shown: Locator) =>
      shown.evaluate((element) => {
        const text = element.firstChild as Text;
        const [first = 0, last = 0] = [0, text.length - 1].map((at) => {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        });
        return last < first;
      });
    expect(await isFromTheRight(tab.getByRole("heading", { level: 1 }))).toBe(true);
    expect(await isFromTheRight(tab.locator("address"))).toBe(true);
    await tab.goto("/cities/shamtown");
    expect(await isFromTheRight(tab.locator(".where bdi"))).toBe(true);
  });

  test("photos load from their own host only on request, and without a referrer", async () => {
    const asks = ["https://images.example"];
    await using tab = await openTab(browser, server.url, { asks });
    const asked: string[] = [];
    await tab.route("https://images.example/**", async (route) => {
      const referrer = (await route.request().allHeaders()).referer ?? "nowhere";
      asked.push(`${new URL(route.request().url()).pathname} from ${referrer}`);
      await route.fulfill({ contentType: "image/png", body: PIXEL });
    });
    await tab.goto("/businesses/night-owl", { waitUntil: "networkidle" });
    await tab.getByText("There are 2 photos, hosted on images.example").waitFor();
    expect(asked).toEqual([]);
    await tab.getByRole("link", { name: "Show the photos" }).click();
    await tab.getByRole("img", { name: "Photo 2" }).scrollIntoViewIfNeeded();
    await tab.waitForLoadState("networkidle");
    expect(asked.sort()).toEqual(["/owl/1.png from nowhere", "/owl/2.png from nowhere"]);
  });

  test("offers only categories that have businesses", async () => {
    await using tab = await openTab(browser, server.url);
    await tab.goto("/search");
    expect(await tab.locator("optgroup").count()).toBeGreaterThan(0);
    expect(await tab.locator("optgroup:not(:has(option))").count()).toBe(0);
    await tab.goto("/");
    const all = tab.locator("section", { hasText: "All categories" });
    expect(await all.getByRole("listitem").count()).toBeGreaterThan(0);
    expect(await all.locator(".count", { hasText: /^0$/ }).count()).toBe(0);
  });

  test("works without JavaScript: filters, lists, and a business", async () => {
    await using tab = await openTab(browser, server.url, { javaScriptEnabled: false });
    await tab.goto("/search?q=shop");
    await tab.getByLabel("Town").fill("leeds");
    await tab.getByLabel("Category").selectOption("bakeries");
    await tab.locator("main").getByRole("button", { name: "Search" }).click();
    await tab.getByText("1 business", { exact: true }).waitFor();
    expect(await tab.locator(".cards h2").allTextContents()).toEqual(["The Night Owl Bakery"]);
    await tab.goto("/cities/leeds");
    await tab.getByRole("link", { name: "The Night Owl Bakery" }).click();
  });

  test("can be used with the keyboard alone", async () => {
    await using tab = await openTab(browser, server.url);
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
  });
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Presses Tab until the link called `name` has the focus. */
async function tabTo(tab: Page, name: string) {
  for (let presses = 0; presses < 60; presses++) {
    await tab.keyboard.press("Tab");
    const focused = tab.locator(":focus");
    if ((await focused.count()) > 0 && (await focused.textContent()) === name) return;
  }
  throw new Error(`Tab never came to ${name}`);
}
