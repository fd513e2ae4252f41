import { expect } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/**
 * A tab of a visitor of its own. `close` fails on what no page may do: an error on the console, or
 * a request to another host. Colours and sizes as given; a desk in daylight otherwise.
 */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ tab: Page; close(): Promise<void> }> {
  const context = await browser.newContext({
    baseURL: url,
    extraHTTPHeaders: { "X-Forwarded-For": `10.5.${++visitors >> 8}.${visitors & 255}` },
    ...options,
  });
  context.setDefaultTimeout(10_000);
  const tab = await context.newPage();
  const faults: string[] = [];
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("request", (request) => {
    if (!request.url().startsWith(url)) faults.push(`asked for ${request.url()}`);
  });
  return {
    tab,
    async close() {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}

let visitors = 0;

/** What axe finds wrong with the page as it is now: rule and place of each violation. */
export async function violations(tab: Page): Promise<string[]> {
  // The page's own policy lets in no script of ours, but a debugger's evaluation passes it.
  await tab.evaluate(axe.source);
  const results = await tab.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Findings> } };
    return await axe.run();
  });
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(" ")}`,
  );
}

interface Findings {
  violations: { id: string; nodes: { target: string[] }[] }[];
}

/** Pixels by which the page is wider than its window. */
export async function overflow(tab: Page): Promise<number> {
  return await tab.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
