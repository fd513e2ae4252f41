import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { generateKey } from "../../src/access/key-format.ts";
import { createKey } from "../../src/access/keys.ts";
import { addBusiness } from "../fixtures.ts";
import { openProxy, type TcpProxy } from "../proxy.ts";
import {
  createDatabase,
  startTestServer,
  type TestDatabase,
  type TestServer,
  untilBlocked,
} from "../support.ts";

// For each test a server of its own: after an outage it keeps nothing until it hears of changes again.
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

/** Of a server, for its answers. */
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

/** The status of /healthz, for which the directory has to be readable. */
const health = async () => (await fetch(`${server.url}/healthz`)).status;

/** What is kept is given for less than a second after the last word from PostgreSQL. */
async function keptIsOver() {
  const began = performance.now();
  let given = 0;
  await until(async () => {
    const isGiven = (await ask()).status === 200;
    if (isGiven) given = performance.now() - began;
    return !isGiven;
  }, 8_000);
  expect(given).toBeLessThan(1_000);
}

test("what is kept is given, with a key too, while others wait for a slow database", async () => {
  const fresh = await createKey(database.sql, OWNER);
  expect([(await ask()).status, (await withKey(key)).status]).toEqual([200, 200]);
  const others: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table cities in access exclusive mode`;
    await until(async () => {
      others.push(fetch(`${server.url}/businesses/another-${others.length}`));
      const [{ waiting }] = await database.sql<[{ waiting: number }]>`
        select count(*)::integer as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting >= CONNECTIONS;
    }, 5_000);
    // For longer than anything kept is given without a word from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect([(await ask()).status, (await withKey(key)).status]).toEqual([200, 200]);
      await Bun.sleep(20);
    }
    // Neither the key nor what it has used has been asked for before.
    expect((await withKey(fresh.key)).status).toBe(200);
  });
  await Promise.all(others);
});

test("known keys are let in while keys that nobody has look for one in a table that is locked", async () => {
  expect((await withKey(key)).status).toBe(200);
  const madeUp: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table api_keys in access exclusive mode`;
    for (let caller = 0; caller < 2 * CONNECTIONS; caller++) {
      madeUp.push(withKey(generateKey()));
      await Bun.sleep(5);
    }
    await untilBlocked(database.sql);
    // For longer than a key is known without a word from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect((await withKey(key)).status).toBe(200);
      await Bun.sleep(20);
    }
  });
  await Promise.all(madeUp);
});

test("known keys are let in while others, and what those have used, are looked up in tables that are locked", async () => {
  const others: string[] = [];
  while (others.length < CONNECTIONS) others.push((await createKey(database.sql, OWNER)).key);
  // One that hears of these keys would soon ask for all anew.
  await server.stop();
  server = await startTestServer({ databaseUrl: proxy.url });
  expect((await withKey(key)).status).toBe(200);
  // Otherwise they would first wait until that is written.
  await until(async () => (await database.sql`select from usage`).length > 0, 5_000);
  const asked: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table usage in access exclusive mode`;
    for (const other of others) {
      asked.push(withKey(other));
      await Bun.sleep(20);
    }
    await untilBlocked(database.sql);
    await transaction`lock table api_keys in access exclusive mode`;
    asked.push(withKey(generateKey()));
    expect((await withKey(key)).status).toBe(200);
    // One looks for a key, one looks up what others have used, and one writes what this one has.
    await untilBlocked(database.sql, 3);
    // For longer than a key is known without a word from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect((await withKey(key)).status).toBe(200);
      await Bun.sleep(20);
    }
  });
  await Promise.all(asked);
});

test("that usage cannot be written is told while somebody holds one row of it", async () => {
  const failing = async () =>
    /highstreet_upkeep_failing\{task="usage"\} (\d)/.exec(
      await (await fetch(`${server.url}/metrics`)).text(),
    )?.[1];
  expect((await withKey(key)).status).toBe(200);
  await until(async () => (await database.sql`select from usage`).length > 0, 5_000);
  await database.sql.begin(async (transaction) => {
    await transaction`update usage set used = used`;
    expect((await withKey(key)).status).toBe(200);
    await until(async () => (await failing()) === "1", 10_000);
  });
  await until(async () => (await failing()) === "0", 10_000);
  const [{ used }] = await database.sql<[{ used: number }]>`select used::integer from usage`;
  expect(used).toBe(2);
}, 30_000);

test("a server that cannot write what keys have used says so at its end", async () => {
  const other = await startTestServer({ databaseUrl: proxy.url });
  const answer = await fetch(`${other.url}/api/v1/businesses/a-shop`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  // Within the second in which it would have been written.
  await proxy.cut();
  await expect(other.stop()).rejects.toThrow("not everything was closed in order");
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 5_000);
}, 20_000);

test("PostgreSQL away is 503 unavailable, soon and every time, and over when it is back", async () => {
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

test("PostgreSQL that accepts and then says nothing is 503 within the time of an answer", async () => {
  proxy.hold();
  await keptIsOver();
  const [{ status, error, seconds }, healthStatus] = await Promise.all([ask(), health()]);
  expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
  expect(seconds).toBeLessThan(6);
  expect(healthStatus).toBe(503);
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 10_000);
});
