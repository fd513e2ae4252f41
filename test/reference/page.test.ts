import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openChromium } from "../../scripts/stack/chromium.ts";
import { operations } from "../../src/reference/operations.ts";
import { addBusiness } from "../fixtures.ts";
import { type Look, openTab, overflow, violations } from "../site/browser.ts";
import { startTestServer } from "../support.ts";

const server = await startTestServer();
await addBusiness(server.sql, { name: "The Only Shop", city: "Leeds", category: "plumbers" });
const browser = await openChromium();
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe("the reference", () => {
  // One page for all of these, since Scalar takes seconds to draw it.
  let tab: Page;
  const whileLoading = { links: 0, headings: [""] };
  const onceShown = { fallbacks: 0, headings: [""] };
  beforeAll(async () => {
    tab = await openTab(browser, server.url);
    const { promise: shown, resolve: load } = Promise.withResolvers<void>();
    await tab.route("**/scalar.js*", async (route) => {
      await shown;
      await route.continue();
    });
    await tab.goto("/developers/reference", { waitUntil: "commit" });
    const fallback = tab.getByText("which is still loading");
    await fallback.waitFor();
    const first = tab.getByRole("heading", { level: 1 });
    whileLoading.links = await fallback.getByRole("link").count();
    whileLoading.headings = await first.allTextContents();
    load();
    await tab.getByRole("heading", { name: "Highstreet API" }).waitFor({ timeout: 30_000 });
    onceShown.fallbacks = await fallback.count();
    onceShown.headings = await first.allTextContents();
  }, 60_000);

  test("says that its script is loading for as long as it is, and always has one first heading", () => {
    expect(whileLoading).toEqual({ links: 2, headings: ["API reference"] });
    expect(onceShown).toEqual({ fallbacks: 0, headings: ["Highstreet API"] });
  });

  test("shows the focus of a copy button", async () => {
    // Scalar draws an operation only once it is about to be seen.
    const group = tab.getByRole("heading", { name: "Businesses" }).first();
    await group.evaluate((heading) => heading.scrollIntoView());
    const button = tab.getByRole("button", { name: "Copy example value" }).first();
    await tab.keyboard.press("Tab");
    await button.focus();
    const frame = await button.evaluate((copy) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(copy);
      return [copy.matches(":focus-visible"), outlineStyle, outlineWidth];
    });
    expect(frame).toEqual([true, "solid", "2px"]);
  });

  test("the keyboard can skip Scalar's contents, as on every other page", async () => {
    await tab.locator("nav.site a").first().focus();
    await tab.keyboard.press("Shift+Tab");
    const skip = tab.getByRole("link", { name: "Skip to the content" });
    const isShown = await skip.evaluate((link) => {
      const { left, top } = link.getBoundingClientRect();
      return link.matches(":focus") && document.elementFromPoint(left + 4, top + 4) === link;
    });
    expect(isShown).toBe(true);
    await tab.keyboard.press("Enter");
    await tab.keyboard.press("Tab");
    expect(await tab.locator("main :focus").count()).toBe(1);
  });

  test("no header covers what has the focus on the way back up", async () => {
    const links = tab.locator("main").getByRole("link", { name: "Open Government Licence" });
    for (const width of [1280, 320]) {
      await tab.setViewportSize({ width, height: 720 });
      await links.first().evaluate((link) => scrollBy(0, link.getBoundingClientRect().top - 20));
      await links.nth(1).evaluate((link) => link.focus({ preventScroll: true }));
      await tab.keyboard.press("Shift+Tab");
      const isInSight = await links.first().evaluate((link) => {
        const { left, top } = link.getClientRects()[0] as DOMRect;
        return link.matches(":focus") && document.elementFromPoint(left + 4, top + 4) === link;
      });
      expect([width, isInSight]).toEqual([width, true]);
    }
  });

  test("has nothing that axe finds wrong, also on the narrowest phone, where a path must be scrollable with the keyboard", async () => {
    const within = [320, 1280].flatMap((width): Look[] => [
      { colorScheme: "light", width },
      { colorScheme: "dark", width },
    ]);
    const rules = { "target-size": { enabled: true } };
    expect(await violations(tab, { within, rules })).toEqual([]);
    expect(await tab.locator("body.dark-mode").count()).toBe(1);
    await tab.setViewportSize({ width: 360, height: 740 });
    expect(await overflow(tab)).toBe(0);
  }, 60_000);

  test("has nothing that axe finds wrong with all of it unfolded, except the names of Scalar's lists of examples", async () => {
    await tab.setViewportSize({ width: 1280, height: 720 });
    const cards = tab.locator(".response-card");
    for (const { summary } of operations) {
      // Scalar draws an operation only when it comes into view.
      await tab.getByRole("link", { name: summary }).click();
      await tab.getByRole("heading", { name: summary }).waitFor();
    }
    await cards.nth(operations.length - 1).waitFor();
    // Scalar names these regions after their statuses, so those of two operations may have the same name,
    // and has no setting for it.
    const within: Look[] = [
      { colorScheme: "light", width: 1280 },
      { colorScheme: "dark", width: 360 },
    ];
    expect(await violations(tab, { except: ".response-card", within })).toEqual([]);
  }, 60_000);

  test("on the narrowest phone, the boxes with examples and defaults lie within the window", async () => {
    await tab.setViewportSize({ width: 320, height: 720 });
    const toggles = tab.locator(":is(.property-default, .property-example) > button");
    expect(await toggles.count()).toBeGreaterThan(operations.length);
    for (const toggle of await toggles.all()) {
      await toggle.focus();
      const box = tab.locator(`#${await toggle.getAttribute("aria-controls")}`);
      await box.waitFor();
      const { x = -1, width = 0 } = (await box.boundingBox()) ?? {};
      expect([await box.textContent(), x >= 0 && x + width <= 320]).toEqual([
        await box.textContent(),
        true,
      ]);
    }
  });

  test("shows every operation and runs one, and did all this without errors or requests to other hosts", async () => {
    await tab.setViewportSize({ width: 1280, height: 720 });
    for (const { summary } of operations) {
      await tab.getByRole("link", { name: summary }).waitFor();
    }
    await tab
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    await tab.getByRole("button", { name: /Send/ }).first().click();
    await tab.getByText("The Only Shop").first().waitFor();
    await tab[Symbol.asyncDispose]();
  }, 60_000);
});

test("without JavaScript the reference says where else it can be read", async () => {
  await using tab = await openTab(browser, server.url, { javaScriptEnabled: false });
  await tab.goto("/developers/reference");
  const text = await tab.locator("#fallback").boundingBox();
  expect(text?.x).toBeGreaterThanOrEqual(16);
  await tab.getByRole("link", { name: "openapi.json" }).click();
  expect(tab.url()).toBe(`${server.url}/api/v1/openapi.json`);
});
