import { expect, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { until } from "../../scripts/stack/waiting.ts";
import { loadConfig } from "../../src/config.ts";
import { start } from "../../src/main.ts";
import { migrate, pendingMigrations } from "../../src/store/migrations.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import {
  countBlocked,
  createDatabase,
  freshRedis,
  newFolder,
  runScript,
  stores,
  untilBlocked,
} from "../support.ts";

test("a migrated database has none pending, and migrating again does nothing", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  expect(await pendingMigrations(sql)).toEqual([]);
  expect(await migrate(sql)).toEqual([]);
});

test("two concurrent migrations apply each file once", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const folder = await newFolder();
  await writeFile(join(folder, "901_once.sql"), "select pg_sleep(0.3); create table once ();");
  // Left by a merge or an editor.
  await writeFile(join(folder, "901_once.sql.orig"), "create table once ();");
  const from = pathToFileURL(`${folder}/`);
  const applied = await Promise.all([migrate(sql, { from }), migrate(sql, { from })]);
  expect(applied.flat()).toEqual(["901_once.sql"]);
});

test("an older PostgreSQL is refused in one line", async () => {
  await using owner = openPostgres(stores().databaseUrl, { max: 1 });
  const url = new URL(stores().databaseUrl);
  url.pathname = "/of_version_15";
  await owner`create database of_version_15`;
  await owner`alter database of_version_15 set search_path = public, pg_catalog`;
  {
    await using sql = openPostgres(url.href, { max: 1 });
    // Found before PostgreSQL's own.
    await sql`create function current_setting(text) returns text return '150018'`;
  }
  expect(await runScript(url.href, "migrate", [])).toEqual({
    stdout: "",
    stderr: "The PostgreSQL of DATABASE_URL has version 15, but Highstreet needs 18 or later.\n",
    exitCode: 1,
  });
  await owner`drop database of_version_15`;
});

test("a new database that is not in UTF-8 is refused in one line", async () => {
  const owner = openPostgres(stores().databaseUrl, { max: 1 });
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    const url = new URL(stores().databaseUrl);
    url.pathname = `/in_${encoding.toLowerCase()}`;
    const name = url.pathname.slice(1);
    await owner.unsafe(
      `create database ${name} encoding '${encoding}' locale_provider libc locale 'C' template template0`,
    );
    expect(await runScript(url.href, "migrate", [])).toEqual({
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(`^The database of DATABASE_URL has the encoding ${encoding}, .*\\n$`),
      ),
      exitCode: 1,
    });
    await owner.unsafe(`drop database ${name}`);
  }
  await owner.end();
});

test("a database that was accepted in another encoding is still migrated", async () => {
  await using owner = openPostgres(stores().databaseUrl, { max: 1 });
  const url = new URL(stores().databaseUrl);
  url.pathname = "/accepted_in_latin1";
  await owner`
    create database accepted_in_latin1
    encoding 'LATIN1' locale_provider libc locale 'C' template template0`;
  {
    await using sql = openPostgres(url.href, { max: 1 });
    await sql`create table migrations (name text primary key, applied_at timestamptz default now())`;
    await sql`insert into migrations (name) values ('001_directory.sql')`;
    const folder = await newFolder();
    await writeFile(join(folder, "901_more.sql"), "create table more ();");
    const from = pathToFileURL(`${folder}/`);
    expect(await migrate(sql, { from })).toEqual(["901_more.sql"]);
  }
  await owner`drop database accepted_in_latin1`;
});

test("a failing migration is named, leaves nothing, and blocks no others", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const folder = await newFolder();
  await writeFile(join(folder, "901_good.sql"), "create table good (id integer);");
  await writeFile(join(folder, "902_bad.sql"), "create table bad (id integer); select 1 / 0;");
  const from = pathToFileURL(`${folder}/`);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(migrate(sql, { from })).rejects.toThrow(
      "Migration 902_bad.sql cannot be applied: division by zero",
    );
  }
  const [found] = await sql`
    select to_regclass('good') is not null as good, to_regclass('bad') is not null as bad`;
  expect(found).toEqual({ good: true, bad: false });
});

test("a migration that waits for a transaction lets readers through meanwhile, and says so", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  const folder = await newFolder();
  await writeFile(join(folder, "901_wide.sql"), "alter table businesses add wide text;");
  const from = pathToFileURL(`${folder}/`);
  const told: string[] = [];
  const { promise: isTold, resolve: tell } = Promise.withResolvers<void>();
  const onWait = (line: string) => {
    told.push(line);
    tell();
  };
  let migrating: Promise<string[]> | undefined;
  await sql.begin(async (transaction) => {
    await transaction`lock table businesses in row exclusive mode`;
    migrating = migrate(sql, { from, onWait });
    await isTold;
    // It would have to wait for the transaction, which in turn waits for it.
    await sql`select count(*) from businesses`;
    // It tries again, in vain.
    await untilBlocked(sql);
    await until(async () => (await countBlocked(sql)) === 0, 20_000);
  });
  expect(await migrating).toEqual(["901_wide.sql"]);
  expect(told).toEqual(["901_wide.sql is waiting for a transaction that uses what it changes."]);
});

test("the server refuses to start while a migration is pending, and names it", async () => {
  await using database = await createDatabase();
  const { sql, url } = database;
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
});

test("a migration may take long, whatever timeouts its role has", async () => {
  await using database = await createDatabase();
  const { sql, url } = database;
  const folder = await newFolder();
  await writeFile(join(folder, "901_slow.sql"), "select pg_sleep(0.3); select pg_sleep(0.3);");
  const name = new URL(url).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set statement_timeout = '200ms'`);
  await sql.unsafe(`alter database ${name} set transaction_timeout = '200ms'`);
  const limited = openPostgres(url, { max: 1 });
  const from = pathToFileURL(`${folder}/`);
  expect(await migrate(limited, { from })).toEqual(["901_slow.sql"]);
  await limited.end();
});

test("the head of the listings' migration says where each function was written last", async () => {
  const folder = join(import.meta.dir, "..", "..", "sql");
  const writtenIn = new Map<string, string[]>();
  for (const file of (await readdir(folder)).sort()) {
    const text = await Bun.file(join(folder, file)).text();
    for (const [, name = ""] of text.matchAll(/^ *create (?:or replace )?function (\w+)\(/gm)) {
      writtenIn.getOrInsertComputed(name, () => []).push(file.slice(0, 3));
    }
  }
  const [head = ""] = (await Bun.file(join(folder, "002_listings.sql")).text()).split("create", 1);
  for (const [name, files] of writtenIn) {
    if (files.length > 1)
      expect(head).toMatch(new RegExp(`^-- +${files.at(-1)} .*\\b${name}\\b`, "m"));
  }
});
