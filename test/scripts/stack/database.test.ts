import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase, newFolder, runScript } from "../../support.ts";

const database = await createDatabase();
await database.sql`delete from migrations where name = '018_usage_writes.sql'`;
const folder = await newFolder();
await Bun.write(join(folder, "shops.ndjson"), '{"sourceId":"1","name":"Shop"}');
afterAll(async () => {
  await database.drop();
});

// What this version reads and writes may mean something else in a database of the previous one.
test.each<[string, string[]]>([
  ["import", ["shops.ndjson"]],
  ["generate", ["--count", "1"]],
  ["businesses", ["list"]],
  ["issue-key", ["--name", "Ada", "--email", "ada@mail.example", "--tier", "developer"]],
  ["keys", ["list"]],
  ["sync-search", []],
  ["check-lists", ["--repair"]],
])("while a migration is pending, %s does nothing but say so", async (name, args) => {
  expect(await runScript(database.url, name, args, { cwd: folder })).toEqual({
    stdout: "",
    stderr: "The database lacks 018_usage_writes.sql: run `npx bun scripts/migrate.ts`.\n",
    exitCode: 1,
  });
});
