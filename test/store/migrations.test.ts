import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { start } from "../../src/main.ts";
import { migrate, pendingMigrations } from "../../src/store/migrations.ts";
import { createDatabase, freshRedis, stores } from "../support.ts";

test("a migrated database has none pending, and migrating again does nothing", async () => {
  const { sql, drop } = await createDatabase();
  expect(await pendingMigrations(sql)).toEqual([]);
  expect(await migrate(sql)).toEqual([]);
  await drop();
});

test("the server refuses to start while a migration is pending, and names it", async () => {
  const { sql, url, drop } = await createDatabase();
  const redis = await freshRedis();
  await sql`delete from migrations where name = '004_taxonomy.sql'`;
  const config = loadConfig({
    PORT: "0",
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    MEILI_URL: stores().meiliUrl,
    MEILI_KEY: stores().meiliKey,
  });
  await expect(start(config)).rejects.toThrow("004_taxonomy.sql");
  redis.client.disconnect();
  await drop();
});
