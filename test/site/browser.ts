import { expect } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/**
 * A tab of a visitor of its own. `close` fails on what no page may do: an error or a warning on the
 * console, or a request to another host.
 * @param options colours and sizes; a desk in daylight otherwise. `asks`: origins that the visitor
 *   asks something of
 */
export async function openTab(
  browser: Browser,
  url: string,
  { asks = [], ...options }: BrowserContextOptions & { asks?: string[] } = {},
): Promise<{ tab: Page; close(): Promise<void> }> {
  const context = await browser.newContext({
    baseURL: url,
    extraHTTPHeaders: { "X-Forwarded-For": `10.5.${++visitors >> 8}.${visitors & 255}` },
    ...options,
  });
  context.setDefaultTimeout(10_000);
  // Chromium's first page takes longest, above all beside the other half of the suite.
  context.setDefaultNavigationTimeout(25_000);
  const tab = await context.newPage();
  const pages = new Set<string>();
  const said: { text: string; at: string }[] = [];
  const faults: string[] = [];
  tab.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    said.push({ text: message.text(), at: message.location().url });
  });
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("request", (request) => {
    if (request.isNavigationRequest()) pages.add(request.url());
    const { protocol, origin } = new URL(request.url());
    const isAllowed = [new URL(url).origin, ...asks].includes(origin) || protocol === "data:";
    if (!isAllowed) faults.push(`asked for ${request.url()}`);
  });
  return {
    tab,
    async close() {
      await context.close();
      // Chromium itself says so of each page whose status is an error.
      const isStatus = ({ text, at }: { text: string; at: string }) =>
        pages.has(at) && /^Failed to load resource: .* status of (400|404|422|503)/.test(text);
      faults.push(...said.filter((one) => !isStatus(one)).map(({ text }) => text));
      expect(faults).toEqual([]);
    },
  };
}

let visitors = 0;

/** From now on the tab is a browser that does not know this function or pseudo-class of CSS. */
export async function unlearn(tab: Page, name: string): Promise<void> {
  await tab.route("**/assets/site.css*", async (route) => {
    const styles = await (await route.fetch()).text();
    const body = styles.replaceAll(`${name}(`, `${name}-unknown(`);
    await route.fulfill({ contentType: "text/css", body });
  });
}

export interface Look {
  colorScheme: "light" | "dark";
  width: number;
}

/** Light and dark, on a phone and on a desk. */
const looks: Look[] = [
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 360 },
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
];

/**
 * What axe finds wrong with the page as it is now, in each look: rule and place of each violation.
 * @param options.except selector of what is not looked at
 * @param options.rules those to turn on or off, beside what axe does by itself
 */
export async function violations(
  tab: Page,
  {
    except,
    within = looks,
    rules = {},
  }: { except?: string; within?: Look[]; rules?: Record<string, { enabled: boolean }> } = {},
): Promise<string[]> {
  // The page's own policy lets in no script of ours, but a debugger's evaluation passes it.
  await tab.evaluate(axe.source);
  const found: string[] = [];
  for (const { colorScheme, width } of within) {
    await tab.emulateMedia({ colorScheme });
    await tab.setViewportSize({ width, height: 800 });
    const broken = await tab.evaluate(
      async ({ exclude, rules }) => {
        const { axe } = globalThis as unknown as { axe: Axe };
        // Without this axe also describes each of the thousands of elements that a rule has passed.
        const options = { rules, resultTypes: ["violations"] };
        const { violations } = await axe.run({ exclude }, options);
        return violations.map(({ id, nodes }) => {
          return `${id}: ${nodes.map(({ target }) => target.join(" ")).join("; ")}`;
        });
      },
      { exclude: except ? [except] : [], rules },
    );
    found.push(...broken.map((violation) => `${colorScheme}, ${width} pixels, ${violation}`));
  }
  return found;
}

interface Axe {
  run(
    scope: object,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
}

/** Lists without markers that do not say that they are lists, which VoiceOver in Safari takes for none. */
export async function unsaidLists(tab: Page): Promise<string[]> {
  return await tab.locator("ul, ol").evaluateAll((lists) =>
    lists
      .filter((list) => getComputedStyle(list).listStyleType === "none")
      .filter((list) => list.getAttribute("role") !== "list")
      .map((list) => list.outerHTML.slice(0, 80)),
  );
}

/** Pixels by which the page is wider than its window. */
export async function overflow(tab: Page): Promise<number> {
  return await tab.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
