import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..", "..");
const guides = ["README.md", "scripts/README.md", "scripts/bench/README.md"];
const textOf = (guide: string) => Bun.file(join(root, guide)).text();

test("the guides link to files and headings that are there", async () => {
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

test("the operators' guide has every command but those of npm", async () => {
  const guide = await textOf("scripts/README.md");
  const commands = readdirSync(join(root, "scripts")).filter((name) => name.endsWith(".ts"));
  const missing = commands.filter((name) => !guide.includes(`| \`${name}`));
  expect(missing.sort()).toEqual(["start.ts", "test.ts"]);
});

/** The anchors of headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}
