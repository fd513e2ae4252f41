import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { generateKey } from "../../src/access/key-format.ts";
import { createKey } from "../../src/access/keys.ts";
import { addBusiness } from "../fixtures.ts";
import { openProxy, type TcpProxy } from "../proxy.ts";
import {
  countBlocked,
  createDatabase,
  startTestServer,
  type TestDatabase,
  type TestServer,
  untilBlocked,
} from "../support.ts";

// Each test has a server of its own, since after an outage it caches nothing until it hears of changes again.
let database: TestDatabase;
let proxy: TcpProxy;
let key: string;
let server: TestServer;
beforeEach(async () => {
  database = await createDatabase();
  await addBusiness(database.sql, { slug: "a-shop" });
  proxy = await openProxy(new URL(database.url));
  ({ key } = await createKey(database.sql, OWNER));
  server = await startTestServer({ databaseUrl: proxy.url });
});
afterEach(async () => {
  await server.stop();
  await proxy.close();
  await database.drop();
});

const OWNER = { name: "A tester", email: "tester@client.example", tier: "growth" };

/** The connections that a server has for its answers. */
const CONNECTIONS = 10;

let asked = 0;
const ask = async (headers: Record<string, string> = {}) => {
  const start = performance.now();
  const response = await fetch(`${server.url}/api/v1/businesses/a-shop`, {
    headers: { "X-Forwarded-For": `198.18.0.${asked++ % 250}`, ...headers },
  });
  const body = (await response.json()) as { error?: string };
  return {
    status: response.status,
    error: body.error,
    seconds: (performance.now() - start) / 1000,
  };
};

const withKey = (key: string) => ask({ Authorization: `Bearer ${key}` });

/** The status of /healthz, which needs a readable directory. */
const health = async () => (await fetch(`${server.url}/healthz`)).status;

async function timed<Result>(work: () => Promise<Result>) {
  const began = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - began) / 1000 };
}

/**
 * Waits until the cache is no longer used: less than a second after last hearing from PostgreSQL.
 * @returns the first answer without it
 */
async function keptIsOver() {
  const began = performance.now();
  while (true) {
    const askedAt = performance.now() - began;
    const answer = await ask();
    if (answer.status !== 200) return answer;
    expect(askedAt).toBeLessThan(1_000);
    await Bun.sleep(20);
  }
}

test("cached answers are served, with a key too, while others wait for a slow database", async () => {
  const fresh = await createKey(database.sql, OWNER);
  expect([(await ask()).status, (await withKey(key)).status]).toEqual([200, 200]);
  const others: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table cities in access exclusive mode`;
    await until(async () => {
      others.push(fetch(`${server.url}/businesses/another-${others.length}`));
      return (await countBlocked(database.sql)) >= CONNECTIONS;
    }, 5_000);
    // Those have to time out before anything that queues behind them is done.
    for (let more = 0; more < CONNECTIONS; more++) {
      others.push(fetch(`${server.url}/businesses/another-${others.length}`));
    }
    // For longer than cached answers are served without hearing from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect([(await ask()).status, (await withKey(key)).status]).toEqual([200, 200]);
      await Bun.sleep(20);
    }
    // Neither the key nor its usage has been looked up before.
    expect((await withKey(fresh.key)).status).toBe(200);
  });
  await Promise.all(others);
});

test("known keys are admitted while unknown ones wait for a locked table", async () => {
  using clock = slowClock();
  expect((await withKey(key)).status).toBe(200);
  const madeUp: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table api_keys in access exclusive mode`;
    for (let caller = 0; caller < 2 * CONNECTIONS; caller++) {
      madeUp.push(withKey(generateKey()));
      await Bun.sleep(5);
    }
    await expectAdmitted(["keys"], clock);
  });
  await Promise.all(madeUp);
});

// Only one of them at a time: what is charged while usage is looked up is written afterwards.
test.each([
  ["looked up", ["keys", "usage"]],
  ["written", ["charges", "keys"]],
] as const)(
  "known keys are admitted while others are looked up, and usage is %s, in locked tables",
  async (first, kinds) => {
    // As many as a server has connections for admission.
    const others: string[] = [];
    while (others.length < 4) others.push((await createKey(database.sql, OWNER)).key);
    // A server that hears of these keys would soon look them all up again.
    await server.stop();
    server = await startTestServer({ databaseUrl: proxy.url });
    expect((await withKey(key)).status).toBe(200);
    // Otherwise they would first wait for it to be written.
    await until(async () => (await database.sql`select from usage`).length > 0, 5_000);
    using clock = slowClock();
    const asked: Promise<unknown>[] = [];
    await database.sql.begin(async (transaction) => {
      await transaction`lock table usage in access exclusive mode`;
      if (first === "written") {
        expect((await withKey(key)).status).toBe(200);
        await untilBlocked(database.sql);
      }
      for (const other of others) {
        asked.push(withKey(other));
        await Bun.sleep(20);
      }
      await untilBlocked(database.sql);
      await transaction`lock table api_keys in access exclusive mode`;
      asked.push(withKey(generateKey()));
      expect((await withKey(key)).status).toBe(200);
      await expectAdmitted(kinds, clock);
    });
    await Promise.all(asked);
  },
);

/** A clock that hardly moves by itself, so that nothing expires because this machine is slow. */
function slowClock() {
  const now = performance.now.bind(performance);
  const begun = now();
  let skippedMs = 0;
  const clock = spyOn(performance, "now").mockImplementation(
    () => begun + (now() - begun) / SLOWNESS + skippedMs,
  );
  return {
    skip(milliseconds: number) {
      skippedMs += milliseconds;
    },
    [Symbol.dispose]: () => clock.mockRestore(),
  };
}

const SLOWNESS = 20;

/**
 * Known keys stay cached for as long as the server can ask whether they have changed. It can while statements of
 * all these kinds are blocked; and then the key is admitted for longer than it would be otherwise.
 */
async function expectAdmitted(
  kinds: readonly ("charges" | "keys" | "usage")[],
  clock: ReturnType<typeof slowClock>,
) {
  const { sql } = database;
  let lastPoll = 0;
  const untilPolled = (condition = sql`true`) =>
    until(async () => {
      const [poll] = await sql<{ startedAt: number }[]>`
        with running as (
          select query, state, wait_event_type,
            extract(epoch from query_start)::float8 as "startedAt"
          from pg_stat_activity where datname = current_database()
        ), blocked as (
          select "startedAt", case
              when query ilike '%insert into usage%' then 'charges'
              when query ilike '%key_hash%' then 'keys'
              when query ilike '%join usage%' then 'usage' end as kind
          from running where wait_event_type = 'Lock'
        )
        select "startedAt" from running
        where query like '%from keys_version' and state = 'idle'
          and "startedAt" > ${lastPoll} and ${condition}`;
      lastPoll = poll?.startedAt ?? lastPoll;
      return poll !== undefined;
    }, 20_000 / SLOWNESS);

  await untilPolled(sql`
    (select array_agg(distinct kind order by kind) from blocked) = ${kinds}
    and "startedAt" > (select max("startedAt") from blocked)`);
  for (let round = 0; round < 3; round++) {
    clock.skip(600);
    expect((await withKey(key)).status).toBe(200);
    // The third is sent when the second has been answered, and that when the first has, which may have been
    // sent before the clock was set.
    for (let poll = 0; poll < 3; poll++) await untilPolled();
  }
}

test("it is reported that usage cannot be written while a row of it is locked", async () => {
  const failing = async () =>
    /highstreet_upkeep_failing\{task="usage"\} (\d)/.exec(
      await (await fetch(`${server.url}/metrics`)).text(),
    )?.[1];
  expect((await withKey(key)).status).toBe(200);
  await until(async () => (await database.sql`select from usage`).length > 0, 5_000);
  await database.sql.begin(async (transaction) => {
    await transaction`update usage set used = used`;
    expect((await withKey(key)).status).toBe(200);
    await transaction`lock table cities in access exclusive mode`;
    const page = fetch(`${server.url}/businesses/another`);
    const areWaiting = async (count: number) => {
      const waiting = await database.sql`
        select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%where b.slug = any%'`;
      return waiting.length === count;
    };
    await until(() => areWaiting(1), 5_000);
    await until(async () => (await failing()) === "1", 10_000);
    // Nor does a statement for a page hold its connection for much longer than the visitor waits.
    expect((await page).status).toBe(503);
    await until(() => areWaiting(0), 3_000);
  });
  await until(async () => (await failing()) === "0", 10_000);
  const [{ used }] = await database.sql<[{ used: number }]>`select used::integer from usage`;
  expect(used).toBe(2);
}, 30_000);

test("a server that cannot write the usage of keys says so at shutdown", async () => {
  const other = await startTestServer({ databaseUrl: proxy.url });
  await database.sql.begin(async (transaction) => {
    // Otherwise it could be written before the connections are cut.
    await transaction`lock table usage in exclusive mode`;
    const answer = await fetch(`${other.url}/api/v1/businesses/a-shop`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    await proxy.cut();
  });
  await expect(other.stop()).rejects.toThrow("not everything was closed cleanly");
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 5_000);
}, 20_000);

test("while PostgreSQL is away every answer is a prompt 503 unavailable, until it is back", async () => {
  expect([(await ask()).status, await health()]).toEqual([200, 200]);
  await proxy.cut();
  await keptIsOver();
  for (let number = 0; number < 20; number++) {
    const { status, error, seconds } = await ask();
    expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
    expect(seconds).toBeLessThan(6);
  }
  expect(await health()).toBe(503);
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 5_000);
  await until(async () => (await health()) === 200, 5_000);
}, 40_000);

test("a PostgreSQL that accepts and never answers is 503 before the deadline", async () => {
  expect([(await ask()).status, await health()]).toEqual([200, 200]);
  proxy.hold();
  // On a connection that is open already: connecting has a deadline of its own.
  const checked = timed(health);
  const { status, error, seconds } = await keptIsOver();
  expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
  expect(seconds).toBeLessThan(6);
  const check = await checked;
  expect(check.result).toBe(503);
  expect(check.seconds).toBeLessThan(6);
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 10_000);
});

test("a PostgreSQL that no longer accepts the password is 503, also for health checks, until it does", async () => {
  const url = new URL(database.url);
  url.username = `rotated${url.pathname.slice(1)}`;
  url.password = "old";
  const role = database.sql(url.username);
  await database.sql`create role ${role} superuser login password 'old'`;
  const rotated = await startTestServer({ databaseUrl: url.href });
  const statusOf = async (path: string) => (await fetch(rotated.url + path)).status;
  expect(await statusOf("/healthz")).toBe(200);
  await database.sql`alter role ${role} password 'new'`;
  // Connections that are open already stay.
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where usename = ${url.username}`;
  for (let number = 0; number < 5; number++) {
    expect(await statusOf("/healthz")).toBe(503);
    expect(await statusOf("/api/v1/businesses/a-shop")).toBe(503);
  }
  await database.sql`alter role ${role} password 'old'`;
  await until(async () => (await statusOf("/healthz")) === 200, 10_000);
  await rotated.stop();
  await database.sql`drop role ${role}`;
}, 30_000);

test("a PostgreSQL whose database is gone is 503, also for health checks", async () => {
  await database.drop();
  expect([(await ask()).status, await health()]).toEqual([503, 503]);
});
