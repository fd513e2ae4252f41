import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, stores, type TestDatabase } from "../support.ts";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`delete from migrations where name = '018_usage_writes.sql'`;
  folder = await mkdtemp(join(tmpdir(), "highstreet-database-"));
  await Bun.write(join(folder, "shops.ndjson"), '{"sourceId":"1","name":"Shop"}');
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

// What a command of this version writes or reads may mean something else in a database of the one before.
test.each<[string, string[]]>([
  ["import", ["shops.ndjson"]],
  ["generate", ["--count", "1"]],
  ["businesses", ["list"]],
  ["issue-key", ["--name", "Ada", "--email", "ada@mail.example", "--tier", "developer"]],
  ["keys", ["list"]],
  ["sync-search", []],
  ["check-lists", ["--repair"]],
])("while a migration is pending, %s does nothing but say so", async (name, args) => {
  const { redisUrl, meiliUrl, meiliKey } = stores();
  const script = new URL(`../../scripts/${name}.ts`, import.meta.url).pathname;
  const command = Bun.spawn([process.execPath, script, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      MEILI_URL: meiliUrl,
      MEILI_KEY: meiliKey,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
    command.exited,
  ]);
  expect({ stdout, stderr, exitCode }).toEqual({
    stdout: "",
    stderr: "The database lacks 018_usage_writes.sql: run `npx bun scripts/migrate.ts`.\n",
    exitCode: 1,
  });
});
