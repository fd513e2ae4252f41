import { expect } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { newAddress } from "../support.ts";

/**
 * Opens a tab as a new visitor. Disposing of it fails if a page did what none may do: log an error or a warning
 * on the console, or send a request to another host.
 * @param options colours and sizes, by default a light desktop. `asks`: other origins that the visitor
 *   requests something from
 */
export async function openTab(
  browser: Browser,
  url: string,
  { asks = [], ...options }: BrowserContextOptions & { asks?: string[] } = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    extraHTTPHeaders: { "X-Forwarded-For": newAddress() },
    ...options,
  });
  context.setDefaultTimeout(10_000);
  // Chromium's first page takes longest, especially beside the other parts of the suite.
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
  return Object.assign(tab, {
    async [Symbol.asyncDispose]() {
      await context.close();
      // Chromium itself logs each page whose status is an error.
      const isStatus = ({ text, at }: { text: string; at: string }) =>
        pages.has(at) && /^Failed to load resource: .* status of (400|404|422|503)/.test(text);
      faults.push(...said.filter((one) => !isStatus(one)).map(({ text }) => text));
      expect(faults).toEqual([]);
    },
  });
}

/** From now on the tab does not support this CSS function or pseudo-class. */
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

/** Light and dark, on a phone and on a desktop. */
const looks: Look[] = [
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 360 },
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
];

const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds wrong with the current page, in each look: rule and place of each violation.
 * A dark look differs from the light one of its width in colours alone, so after that one only the rules
 * about colours run.
 * @param options.except selector of what to leave out
 * @param options.rules rules to turn on or off, in addition to axe's defaults
 */
export async function violations(
  tab: Page,
  {
    except,
    within = looks,
    rules = {},
  }: { except?: string; within?: Look[]; rules?: Record<string, { enabled: boolean }> } = {},
): Promise<string[]> {
  // The page's own policy blocks injected scripts, but not a debugger's evaluation.
  await tab.evaluate(axe.source);
  const found: string[] = [];
  for (const { colorScheme, width } of within) {
    await tab.emulateMedia({ colorScheme });
    await tab.setViewportSize({ width, height: 800 });
    const hasLight = within.some((look) => look.colorScheme === "light" && look.width === width);
    const onlyColours = colorScheme === "dark" && hasLight;
    const checked = onlyColours ? { runOnly: COLOUR_RULES } : { rules };
    const broken = await tab.evaluate(
      async ({ exclude, checked }) => {
        const { axe } = globalThis as unknown as { axe: Axe };
        // Otherwise axe also describes each of the thousands of elements that pass.
        const options = { ...checked, resultTypes: ["violations"] };
        const { violations } = await axe.run({ exclude }, options);
        return violations.map(({ id, nodes }) => {
          return `${id}: ${nodes.map(({ target }) => target.join(" ")).join("; ")}`;
        });
      },
      { exclude: except ? [except] : [], checked },
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

/** Lists without markers and without the role of a list, which VoiceOver in Safari does not announce as lists. */
export async function unsaidLists(tab: Page): Promise<string[]> {
  return await tab.locator("ul, ol").evaluateAll((lists) =>
    lists
      .filter((list) => getComputedStyle(list).listStyleType === "none")
      .filter((list) => list.getAttribute("role") !== "list")
      .map((list) => list.outerHTML.slice(0, 80)),
  );
}

/** Pixels by which the page is wider than the window. */
export async function overflow(tab: Page): Promise<number> {
  return await tab.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

/** Words of these elements' own text that are broken over two lines or more, except after a hyphen. */
export async function brokenWords(shown: Locator): Promise<string[]> {
  return await shown.evaluateAll((elements) =>
    elements.flatMap((element) => {
      const texts = [...element.childNodes].filter((node) => node instanceof Text);
      return texts.flatMap((text) =>
        [...text.data.matchAll(/[^\s-]+/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [word] : [];
        }),
      );
    }),
  );
}
