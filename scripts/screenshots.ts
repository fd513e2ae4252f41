import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
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
  const application = await applyForKey(browser, baseUrl);
  const pages = { ...(await findPages(baseUrl)), ...application };
  for (const { name: look, ...options } of looks) {
    const context = await browser.newContext(options);
    const tab = await context.newPage();
    for (const [name, path] of Object.entries(pages)) {
      await tab.goto(baseUrl + path);
      await tab.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    }
    await context.close();
  }
  console.log(`${Object.keys(pages).length * looks.length} pictures in ${folder}`);
});

/** One address of each kind of page. */
async function findPages(baseUrl: string): Promise<Record<string, string>> {
  const response = await fetch(`${baseUrl}/api/v1/businesses?limit=1`);
  const { businesses } = (await response.json()) as {
    businesses: { slug: string; category: string; city: string }[];
  };
  const [business] = businesses;
  if (!business) throw new CommandError("The directory is empty: there is nothing to show.");
  const { slug, category, city } = business;
  const place = `${await (await fetch(`${baseUrl}/businesses/${slug}`)).text()}`;
  const citySlug = /href="\/cities\/([^"]+)"/.exec(place)?.[1] ?? "";
  return {
    home: "/",
    search: `/search?q=${encodeURIComponent(`${category.replaceAll("-", " ")} in ${city}`)}`,
    "search-nothing": "/search?q=xyzzyxyzzy",
    business: `/businesses/${slug}`,
    category: `/categories/${category}`,
    city: `/cities/${citySlug}?page=2`,
    developers: "/developers",
    "not-found": "/nothing-here",
  };
}

/** The private page, as it is after the key was revealed. */
async function applyForKey(browser: Browser, baseUrl: string): Promise<Record<string, string>> {
  const tab = await browser.newPage();
  await tab.goto(`${baseUrl}/developers#key`);
  await tab.getByLabel("Your name or company").fill("Ada Shah");
  await tab.getByLabel("Email").fill("ada@client.example");
  await tab.getByLabel("What do you want to make?").fill("A map of bakeries.");
  await tab.getByRole("button", { name: "Apply for a key" }).click();
  const { pathname } = new URL(tab.url());
  const reveal = tab.getByRole("button", { name: "Reveal my key" });
  if (await reveal.isVisible()) await reveal.click();
  await tab.close();
  return pathname.includes("applications/") ? { application: pathname } : {};
}
