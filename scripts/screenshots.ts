import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { loadConfig } from "../src/config.ts";
import { CommandError, runCommand } from "./command.ts";
import { openChromium } from "./stack/chromium.ts";
import { scriptEnvironment } from "./stack/environment.ts";

const USAGE = `Usage: bun scripts/screenshots.ts [FOLDER]

Takes pictures of every page of the running server, light and dark, on a desk and on a phone, into
FOLDER (default: screenshots). Applies for keys on the way, so use it on a trial directory.`;

const looks = [
  { name: "light-desktop", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { name: "dark-desktop", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  { name: "light-phone", colorScheme: "light", viewport: { width: 360, height: 740 } },
  { name: "dark-phone", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

await runCommand(async () => {
  const [folder = "screenshots", ...rest] = process.argv.slice(2);
  if (folder.startsWith("-") || rest.length > 0) throw new CommandError(USAGE);
  await mkdir(folder, { recursive: true });
  const { baseUrl } = loadConfig(await scriptEnvironment());

  await using browser = await openChromium();
  const pages = await findPages(baseUrl);
  const take = async (tab: Page, name: string, look: string) => {
    await tab.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    console.log(`${name}-${look}.png`);
  };
  for (const { name: look, ...options } of looks) {
    const context = await browser.newContext(options);
    const tab = await context.newPage();
    for (const [name, path] of Object.entries(pages)) {
      await tab.goto(baseUrl + path);
      await take(tab, name, look);
    }
    await context.close();
  }

  // A key is shown once, so all looks are of the one page.
  const tab = await browser.newPage();
  for await (const name of applyForKey(tab, baseUrl)) {
    for (const { name: look, colorScheme, viewport } of looks) {
      await tab.emulateMedia({ colorScheme });
      await tab.setViewportSize(viewport);
      await take(tab, name, look);
    }
  }
});

/** One address of each kind of page. */
async function findPages(baseUrl: string): Promise<Record<string, string>> {
  const read = async (path: string) => await (await fetch(baseUrl + path)).text();
  const { businesses } = JSON.parse(await read("/api/v1/businesses")) as {
    businesses: { slug: string; category: string; city: string }[];
  };
  const [first] = businesses;
  if (!first) throw new CommandError("The directory is empty: there is nothing to show.");
  const details = businesses.map(({ slug }) => read(`/api/v1/businesses/${slug}`));
  const withPhotos = (await Promise.all(details)).findIndex((text) => text.includes('"caption"'));
  const { slug } = businesses[withPhotos] ?? first;
  const largestCity = /href="(\/cities\/[^"]+)"/.exec(await read("/"))?.[1] ?? "/";
  return {
    home: "/",
    search: `/search?q=${first.category.replaceAll("-", "+")}`,
    "search-nothing": "/search?q=xyzzyxyzzy",
    business: `/businesses/${slug}`,
    category: `/categories/${first.category}`,
    city: `${largestCity}?page=2`,
    developers: "/developers",
    "not-found": "/nothing-here",
  };
}

/** Walks through an application, and says the name of each page that it comes to. */
async function* applyForKey(tab: Page, baseUrl: string): AsyncGenerator<string> {
  await tab.goto(`${baseUrl}/developers#apply`);
  await tab.getByLabel("Your name or company").fill("Ada Shah");
  await tab.getByLabel("Email").fill("ada at home");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  yield "application-faults";
  await tab.getByLabel("Email").fill("ada@client.example");
  await tab.getByLabel("What do you want to make?").fill("A map of bakeries.");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  yield "application";
  const reveal = tab.getByRole("button", { name: "Reveal my key" });
  if (!(await reveal.isVisible())) return;
  await reveal.click();
  yield "application-revealed";
}
