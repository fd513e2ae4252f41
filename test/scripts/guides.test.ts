import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { importRecord } from "../../src/directory/import/record.ts";

const root = join(import.meta.dir, "..", "..");
const guides = ["README.md", "scripts/README.md", "scripts/bench/README.md"];
const textOf = (guide: string) => Bun.file(join(root, guide)).text();

test("the guides link to files and headings that exist", async () => {
  const links: string[] = [];
  for (const guide of guides) {
    for (const [, path = "", heading] of (await textOf(guide)).matchAll(/\]\(([^)#]*)#?(.*?)\)/g)) {
      const target = path === "" ? guide : join(dirname(guide), path);
      links.push(target);
      expect([target, existsSync(join(root, target))]).toEqual([target, true]);
      if (heading) expect(headingsOf(await textOf(target))).toContain(heading);
    }
  }
  expect(links.length).toBeGreaterThan(10);
});

test("the operators' guide has every command except those of npm", async () => {
  const guide = await textOf("scripts/README.md");
  const commands = readdirSync(join(root, "scripts")).filter((name) => name.endsWith(".ts"));
  const missing = commands.filter((name) => !guide.includes(`| \`${name}`));
  expect(missing.sort()).toEqual(["start.ts", "test.ts"]);
});

test("the records that show the format have a value for every field except slug", async () => {
  const fields = Object.keys(importRecord.entries).filter((field) => field !== "slug");
  for (const place of ["scripts/README.md", "scripts/import.ts"]) {
    const [, count] = /generate\.ts --count (\d+) --ndjson/.exec(await textOf(place)) ?? [];
    const records = [...generateBusinesses({ count: Number(count), seed: 1 })];
    const told = records.flatMap((record) =>
      Object.entries(record).flatMap(([field, value]) => (hasValue(value) ? field : [])),
    );
    expect([place, ...new Set(told)].sort()).toEqual([place, ...fields].sort());
  }
});

const hasValue = (value: unknown) => value !== "" && !(Array.isArray(value) && value.length === 0);

/** The anchors that GitHub gives to headings. */
function headingsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}
