import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openChromium } from "./stack/chromium.ts";
import { scriptConfig } from "./stack/environment.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { print } from "./terminal/output.ts";

const USAGE = `Usage: npx bun scripts/screenshots.ts [FOLDER]

Takes screenshots of every page of the running server, light and dark, at desktop and phone size,
into FOLDER (default: screenshots). It applies for keys on the way and decides the applications, so
use it on a trial directory; with APPLICATIONS=auto the pages of undecided ones are left out.`;

const looks = [
  { name: "light-desktop", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { name: "dark-desktop", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  { name: "light-phone", colorScheme: "light", viewport: { width: 360, height: 740 } },
  { name: "dark-phone", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

/** Milliseconds for a page to open, or to be drawn. */
const LONGEST_MS = 180_000;

await runCommand(USAGE, async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder = "screenshots", ...rest] = positionals;
  if (rest.length > 0) throw new CommandError(USAGE);
  await mkdir(folder, { recursive: true });
  const { baseUrl } = await scriptConfig();

  await using browser = await openChromium();
  const tab = await browser.newPage({ baseURL: baseUrl });
  // On a busy machine, the whole reference takes Chromium longer to draw than its usual 30 seconds.
  tab.setDefaultTimeout(LONGEST_MS);
  let taken = 0;
  const takeAll = async (name: string, prepare = async () => {}) => {
    for (const { name: look, colorScheme, viewport } of looks) {
      await tab.emulateMedia({ colorScheme });
      await tab.setViewportSize(viewport);
      await prepare();
      await tab.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
      taken++;
    }
    print(name);
  };
  for (const [name, path] of Object.entries(await findPages(baseUrl))) {
    await takeAll(name, async () => {
      await tab.goto(path, { waitUntil: "networkidle" });
    });
  }
  // A key is shown once, so every look is taken of the same page.
  for await (const name of applyForKey(tab)) await takeAll(name);
  print(`${taken} screenshots in ${folder}`);
});

/** One path for each kind of page. */
async function findPages(baseUrl: string): Promise<Record<string, string>> {
  const read = async (path: string) => {
    const response = await fetch(baseUrl + path);
    const text = await response.text();
    if (!response.ok)
      throw new CommandError(`${path} was answered with ${response.status}: ${text}`);
    return text;
  };
  const { businesses } = JSON.parse(await read("/api/v1/businesses")) as {
    businesses: { slug: string; category: string }[];
  };
  const [first] = businesses;
  if (!first) throw new CommandError("There is nothing to show: the directory is empty.");
  const details = businesses.map(({ slug }) => read(`/api/v1/businesses/${slug}`));
  const withPhotos = (await Promise.all(details)).findIndex((text) => text.includes('"caption"'));
  const { slug } = businesses[withPhotos] ?? first;
  const largestCity = /href="(\/cities\/[^"]+)"/.exec(await read("/"))?.[1] ?? "/";
  return {
    home: "/",
    search: `/search?q=${first.category.replaceAll("-", "+")}`,
    "search-empty": "/search",
    "search-nothing": "/search?q=xyzzyxyzzy&city=atlantis",
    business: `/businesses/${slug}`,
    "business-photos": `/businesses/${slug}?photos=show`,
    category: `/categories/${first.category}`,
    city: `${largestCity}?page=2`,
    cities: "/cities",
    developers: "/developers",
    reference: "/developers/reference",
    "not-found": "/nothing-here",
    "wrong-address": "/search?q=pub&page=abc",
  };
}

/** Walks through two applications, and yields the name of each page that it reaches. */
async function* applyForKey(tab: Page): AsyncGenerator<string> {
  const press = (name: string) => tab.getByRole("button", { name }).first().click();
  const fault = tab.getByRole("alert");
  const apply = async (email: string) => {
    await tab.goto("/developers#apply");
    await tab.getByLabel("Your name or company").fill("Ada Shah");
    await tab.getByLabel("Email").fill(email);
    await tab
      .getByLabel("What do you want to build?")
      .fill("A map of bakeries.\nWith their hours.");
    await press("Apply for a key");
    await fault.or(tab.getByRole("heading", { name: "Your application" })).waitFor();
  };
  const applyWell = async () => {
    await apply("ada@client.example");
    if (await fault.isVisible()) throw new CommandError((await fault.textContent()) ?? "");
  };
  await apply("ada at home");
  yield "application-faults";

  await applyWell();
  if (await tab.getByRole("heading", { name: "waiting" }).isVisible()) {
    yield "application-waiting";
    await decide("--decline", "--why", "Maps are what we make ourselves.");
    await tab.reload();
    yield "application-declined";
    await applyWell();
    await decide("--application", "--tier", "developer");
    await tab.reload();
  }
  yield "application-approved";
  await press("Reveal my key");
  yield "application-revealed";
  const key = await tab.locator("#key").textContent();
  for (let calls = 0; calls < 12; calls++) {
    await fetch(new URL("/api/v1/categories", tab.url()), {
      headers: { Authorization: `Bearer ${key}` },
    });
  }
  await tab.goto(tab.url());
  yield "application-key";
  await press("Roll");
  yield "application-rolled";
  await tab.locator("summary").first().click();
  await press("Revoke");
  yield "application-revoked";
}

/** Decides the newest application, as an operator does. */
async function decide(option: string, ...rest: string[]): Promise<void> {
  const command = join(import.meta.dir, "issue-key.ts");
  const run = (...args: string[]) => Bun.$`${process.execPath} ${command} ${args}`.text();
  const waiting = (await run("--json")).trim().split("\n");
  const { id } = JSON.parse(waiting.at(-1) ?? "{}") as { id: string };
  await run(option, id, ...rest);
}
