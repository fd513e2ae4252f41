import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { apply, findApplication, revealKey } from "../../src/access/applications.ts";
import { rollKey } from "../../src/access/roll-key.ts";
import { importRecord } from "../../src/directory/import/record.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { createDatabase, newFolder, runProgram, runScript, storesEnvironment } from "../support.ts";

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

test("the commands of the operators' guide approve what lacks nothing in a feed, and suspend what it drops", async () => {
  await using database = await createDatabase();
  const folder = await newFolder();
  const importShops = async (rows: Record<string, string>) => {
    const header =
      "sourceId,name,category,city,address.line1,address.postcode,coordinates.lat,coordinates.lng";
    const lines = Object.entries(rows).map(([id, rest]) => `"${id}",Shop ${id},${rest}`);
    await Bun.write(join(folder, "shops.csv"), [header, ...lines].join("\n"));
    await runScript(database.url, "import", ["shops.csv", "--status", "pending"], { cwd: folder });
  };
  const guide = await textOf("scripts/README.md");
  const commands = (pattern: RegExp) => {
    const written = pattern.exec(guide)?.[0] ?? "";
    const [bun, scripts] = [process.execPath, join(root, "scripts")].map((path) => $.escape(path));
    return written.replaceAll("npx bun scripts", `${bun} ${scripts}`);
  };
  const run = async (script: string) => {
    const env = storesEnvironment(database.url);
    const { exitCode, stderr } = await runProgram(["sh", "-c", script], { cwd: folder, env });
    const rows = await database.sql<{ state: string }[]>`
      select source_id || ' ' || status as state from businesses order by source_id`;
    return { exitCode, stderr, states: rows.map(({ state }) => state) };
  };
  const [whole, lacking] = ["bakeries,Leeds,1 High St,LS1 4AP,53.8,-1.5", "bakeries,,,,,"];

  await importShops({ A: whole, B: whole, C: lacking });
  const approve = commands(/^npx bun .*--source shops > [\s\S]*? approve$/m);
  const approved = { exitCode: 0, stderr: "", states: ["A approved", "B approved", "C pending"] };
  expect(await run(approve)).toEqual(approved);
  // Also when nothing is left to approve.
  expect(await run(approve)).toEqual(approved);

  await importShops({ B: whole, C: lacking });
  const suspend = commands(/^npx bun .* --dropped > [\s\S]*?suspend < .*$/m);
  const suspended = { exitCode: 0, states: ["A suspended", "B approved", "C pending"] };
  for (const dropped of [1, 0]) {
    const counts = `that the file lacks or marks as vacant: ${dropped}.\n  read 2, created 0, updated 0, unchanged 2,`;
    const stderr = expect.stringContaining(counts);
    expect(await run(suspend)).toEqual({ ...suspended, stderr });
  }
});

test("the SQL of the operators' guide adds an approved business", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const guide = await textOf("scripts/README.md");
  const [, add = ""] = /\*\*Changes in SQL\*\*.*?```sql\n(.*?)```/s.exec(guide) ?? [];
  await sql.unsafe(add);
  const { businesses } = await listBusinesses(sql, { city: "leeds", limit: 2, offset: 0 });
  expect(businesses.map(({ name }) => name)).toEqual(["Ann's Bakery"]);
});

test.each([
  ["beside others", [{ name: "Bo Other", email: "bo@mail.example", purpose: "Maps" }]],
  ["who alone has applied", []],
])(
  "the operators' guide shows and erases all that is kept about an applicant %s, but not what was used",
  async (_, others) => {
    await using database = await createDatabase();
    const { sql } = database;
    const rights = { tier: "developer" };
    for (const other of others) await apply(sql, other, rights);
    const ada = { name: "Ada Private", email: "Ada@mail.example", purpose: "Privately" };
    await apply(sql, ada);
    const token = await apply(sql, ada, rights);
    const key = await revealKey(sql, token);
    await rollKey(sql, key?.id ?? "", { graceSeconds: 0 });
    await sql`insert into usage (meter_id, month, used) select meter_id, '2026-01-01', 7 from api_keys limit 1`;
    await sql`analyze applications, api_keys`;

    const guide = await textOf("scripts/README.md");
    const section = guide.slice(guide.indexOf("## Personal data"));
    const [show = "", erase = ""] = section
      .split("```sql")
      .slice(1)
      .map((text) => text.split("```")[0]);
    const shown = JSON.stringify(await sql.unsafe(show));
    expect(shown.match(/Ada Private/g)).toHaveLength(4);
    for (const { name } of others) expect(shown).not.toContain(name);

    const kept = async () => {
      const rows = await sql`
      select applications::text as row from applications
      union all select api_keys::text from api_keys
      union all select concat(most_common_vals, histogram_bounds) from pg_stats
        where tablename in ('applications', 'api_keys')`;
      return JSON.stringify(rows);
    };
    expect(await kept()).toContain("Privately");
    const connection = openPostgres(database.url, { max: 1 });
    await connection.unsafe(erase);
    await connection.end();
    // Not by "ada" alone, which the hash of a token may contain.
    expect(await kept()).not.toMatch(/ada private|ada@mail|privately/i);
    for (const { name } of others) expect(await kept()).toContain(name);
    expect(await findApplication(sql, token)).toBeNull();
    const used =
      await sql`select used::integer, name from usage join api_keys on id = usage.meter_id`;
    expect([...used]).toEqual([{ used: 7, name: "erased" }]);
  },
);

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
