import { expect, test } from "bun:test";
import pino from "pino";
import { until } from "../../scripts/stack/waiting.ts";
import { warnOfSortOrder } from "../../src/store/sort-order.ts";
import { createDatabase, startTestServer } from "../support.ts";

test("a server warns of a database whose order of texts may have changed, until that is refreshed", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const lines: { level: number; msg: string; version?: object }[] = [];
  const log = pino({}, { write: (text: string) => void lines.push(JSON.parse(text)) });
  await warnOfSortOrder(sql, log);
  expect(lines).toEqual([]);

  await sql`update pg_database set datcollversion = '153.120' where datname = current_database()`;
  await using _server = await startTestServer({ databaseUrl: database.url }, { log });
  await until(() => lines.some(({ version }) => version), 5_000);
  const [warning] = lines.splice(0).filter(({ version }) => version);
  expect(warning).toMatchObject({ level: 40, version: { ofIndexes: "153.120", now: "1" } });
  expect(warning?.msg).toContain("reindex database");

  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  await sql`alter database ${sql(name)} refresh collation version`;
  await warnOfSortOrder(sql, log);
  expect(lines.splice(0).filter(({ version }) => version)).toEqual([]);

  // As after a move from Alpine, whose libc has no versions.
  await sql`update pg_database set datcollversion = null where datname = ${name}`;
  const refreshed = sql`alter database ${sql(name)} refresh collation version`.execute();
  await expect(refreshed).rejects.toThrow("invalid collation version change");
  await warnOfSortOrder(sql, log);
  const [later] = lines.filter(({ version }) => version);
  expect(later).toMatchObject({ version: { ofIndexes: null, now: "1" } });
  expect(later?.msg).toContain("the operators' guide says what to run instead");
});
