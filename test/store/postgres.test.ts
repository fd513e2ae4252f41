import { expect, spyOn, test } from "bun:test";
import postgres from "postgres";
import { withSupervisor } from "../../scripts/bench/stack.ts";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { doBefore, openPostgres, ping } from "../../src/store/postgres.ts";
import { isPostgresAway } from "../../src/store/postgres-errors.ts";
import { createDatabase, stores } from "../support.ts";

test("a server's statements do not use JIT, even where PostgreSQL would compile expensive ones", async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await database.sql`alter database ${database.sql(name)} set jit = on`;
  await using sql = openPostgres(database.url, { max: 1, keepsPlans: true });
  const [{ jit }] = await sql<[{ jit: string }]>`show jit`;
  expect(jit).toBe("off");
});

test("a database may have any name, which the address encodes", async () => {
  const name = "high street/é %25";
  const owner = openPostgres(stores().databaseUrl, { max: 1 });
  await owner`create database ${owner(name)}`;
  try {
    const url = new URL(stores().databaseUrl);
    url.pathname = encodeURIComponent(name);
    await using sql = openPostgres(url.href, { max: 1 });
    expect(Array.from(await sql`select current_database() as name`)).toEqual([{ name }]);
  } finally {
    await owner`drop database ${owner(name)} with (force)`;
    await owner.end();
  }
});

test("times are read as they are, even where PostgreSQL would write the day first", async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await database.sql`alter database ${database.sql(name)} set datestyle = 'SQL, DMY'`;
  await using sql = openPostgres(database.url, { max: 1 });
  const time = new Date("2026-11-05T16:49:00Z");
  const [{ read }] = await sql<[{ read: Date }]>`select ${time}::timestamptz as read`;
  expect(read).toEqual(time);
});

test("a server plans each of its statements once, whatever the values", async () => {
  await using sql = openPostgres(stores().databaseUrl, { max: 1, keepsPlans: true });
  for (const value of [1, 2]) await sql`select ${value}::integer`;
  const plans = await sql`
    select custom_plans::integer, generic_plans::integer from pg_prepared_statements
    where statement like 'select $1%'`;
  expect([...plans]).toEqual([{ custom_plans: 0, generic_plans: 2 }]);
});

test("a notice is not printed, where it would mix with the output of a command", async () => {
  const print = spyOn(console, "log");
  try {
    await using sql = openPostgres(stores().databaseUrl, { max: 1 });
    await sql`drop table if exists no_such_table`;
    expect(print).not.toHaveBeenCalled();
  } finally {
    print.mockRestore();
  }
});

test("the rows of a statement that fails part-way do not leak into the next", async () => {
  await using sql = openPostgres(stores().databaseUrl, { max: 1 });
  const failing = sql`select 1 / (3 - n) from generate_series(1, 3) as n`;
  await expect(Promise.resolve(failing)).rejects.toThrow("division by zero");
  expect([...(await sql`select 4 as four`)]).toEqual([{ four: 4 }]);
});

test("a server survives a connection that fails at once, as without a route", async () => {
  // Linux refuses this address without sending anything.
  const sql = openPostgres("postgres://nobody@255.255.255.255/none", { longestSilenceMs: 30_000 });
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(Promise.resolve(sql`select 1`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
  await sql.end({ timeout: 1 });
});

test("a missing Unix socket means that PostgreSQL is away, another missing file does not", async () => {
  const folder = `/tmp/missing-${crypto.randomUUID()}`;
  const sql = postgres({ path: `${folder}/.s.PGSQL.5432`, max: 1 });
  const noSocket = await ping(sql).catch((error) => error);
  const noFile = await Bun.file(`${folder}/page.html`)
    .text()
    .catch((error) => error);
  await sql.end();
  expect([noSocket.code, isPostgresAway(noSocket)]).toEqual(["ENOENT", true]);
  expect([noFile.code, isPostgresAway(noFile)]).toEqual(["ENOENT", false]);
});

test("a server says which Unix socket is missing", async () => {
  const folder = `/tmp/missing-${crypto.randomUUID()}`;
  process.env.PGHOST = folder;
  const sql = openPostgres("postgres:///highstreet", { max: 1, longestSilenceMs: 30_000 });
  delete process.env.PGHOST;
  const failure = await ping(sql).catch((error) => error);
  await sql.end();
  expect(failure.message).toBe(`connect ENOENT ${folder}/.s.PGSQL.5432`);
});

test("work with a deadline is not begun when it has waited for a connection for too long", async () => {
  await using sql = openPostgres(stores().databaseUrl, { max: 1 });
  const other = sql`select pg_sleep(0.3)`.execute();
  let hasBegun = false;
  const late = doBefore(sql, performance.now() + 100, async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toThrow(DeadlineError);
  expect(hasBegun).toBe(false);
  await other;
});

test("work with a deadline is rolled back when its statements together take too long", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  await sql`create table done (what text)`;
  const late = doBefore(sql, performance.now() + 500, async (transaction) => {
    await transaction`insert into done values ('late')`;
    await transaction`select pg_sleep(0.3)`;
    await transaction`select pg_sleep(0.3)`;
  });
  await expect(late).rejects.toThrow(DeadlineError);
  expect(await sql<object[]>`select from done`).toHaveLength(0);
});

test("work with a deadline is rolled back when its last answer is read too late", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  await sql`create table done (what text)`;
  const end = performance.now() + 500;
  const late = doBefore(sql, end, async (transaction) => {
    await transaction`insert into done values ('late')`;
    setImmediate(() => {
      while (performance.now() < end) {
        // Blocks the process.
      }
    });
  });
  await expect(late).rejects.toThrow(DeadlineError);
  expect(await sql<object[]>`select from done`).toHaveLength(0);
});

test("work with a deadline is rolled back when what it leaves to its commit takes too long", async () => {
  await using database = await createDatabase();
  const { sql } = database;
  await sql`create table done (what text)`;
  await sql.unsafe(`
    create function wait() returns trigger language plpgsql as
      $$ begin perform pg_sleep(5); return null; end $$;
    create constraint trigger wait after insert on done
      deferrable initially deferred for each row execute function wait()`);
  const late = doBefore(sql, performance.now() + 300, async (transaction) => {
    await transaction`insert into done values ('late')`;
  });
  await expect(late).rejects.toMatchObject({ code: "57014" });
  expect(await sql<object[]>`select from done`).toHaveLength(0);
});

test("work with a deadline is rolled back when its commit would have to wait for longer", () =>
  withSupervisor(async (supervisor) => {
    const { url } = await startPostgres(supervisor, { durable: false });
    const sql = openPostgres(url);
    await sql`create table done (what text)`;
    await sql`alter system set synchronous_standby_names = 'nobody'`;
    await sql`select pg_reload_conf()`;
    const isWaiting = async () =>
      (await sql`select from pg_stat_activity where wait_event = 'SyncRep'`).length > 0;
    // Its commit waits for a missing standby, and later ones with notifications wait for it.
    const commit = () =>
      sql.begin(async (transaction) => {
        await transaction`set local synchronous_commit = on`;
        await transaction`insert into done values ('first')`;
        await transaction`notify something`;
      });
    let first = commit();
    await until(async () => {
      if (await isWaiting()) return true;
      // PostgreSQL rereads the setting with a delay; a commit before that does not wait.
      if ((await sql`select from done`).length > 0) {
        await sql`delete from done`;
        first = commit();
      }
      return false;
    }, 5_000);
    const late = doBefore(sql, performance.now() + 1_000, async (transaction) => {
      await transaction`insert into done values ('late')`;
      await transaction`notify something`;
    }).catch((error) => error);
    const told = await Promise.race([late, Bun.sleep(5_000)]);
    await sql`alter system reset synchronous_standby_names`;
    await sql`select pg_reload_conf()`;
    await Promise.all([first, late]);
    expect(told).toMatchObject({ code: "55P03" });
    const [done] = await sql`select array_agg(what) as what from done`;
    expect(done?.what).toEqual(["first"]);
    await sql.end();
  }));

test("a statement that exceeds the time left is cancelled, and later ones have no timeout", async () => {
  const sql = openPostgres(stores().databaseUrl, { max: 1 });
  await ping(sql);
  const sleep = (milliseconds: number, seconds: number) =>
    doBefore(sql, performance.now() + milliseconds, async (transaction) => {
      await transaction`select pg_sleep(${seconds})`;
    });
  await expect(sleep(300, 5)).rejects.toMatchObject({ code: "57014" });
  await sleep(1_000, 0);
  await sql`select pg_sleep(1.2)`;
  await sql.end();
});
