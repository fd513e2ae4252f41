import { afterEach, beforeEach, expect, test } from "bun:test";
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

/** Waits until the cache is no longer used: less than a second after last hearing from PostgreSQL. */
async function keptIsOver() {
  const began = performance.now();
  let lastAsked = 0;
  await until(async () => {
    const askedAt = performance.now() - began;
    const isGiven = (await ask()).status === 200;
    if (isGiven) lastAsked = askedAt;
    return !isGiven;
  }, 8_000);
  expect(lastAsked).toBeLessThan(1_000);
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
  expect((await withKey(key)).status).toBe(200);
  const madeUp: Promise<unknown>[] = [];
  await database.sql.begin(async (transaction) => {
    await transaction`lock table api_keys in access exclusive mode`;
    for (let caller = 0; caller < 2 * CONNECTIONS; caller++) {
      madeUp.push(withKey(generateKey()));
      await Bun.sleep(5);
    }
    await untilBlocked(database.sql);
    // For longer than keys stay cached without hearing from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect((await withKey(key)).status).toBe(200);
      await Bun.sleep(20);
    }
  });
  await Promise.all(madeUp);
});

test("known keys are admitted while others and their usage are looked up in locked tables", async () => {
  const others: string[] = [];
  while (others.length < CONNECTIONS) others.push((await createKey(database.sql, OWNER)).key);
  // A server that hears of these keys would soon look them all up again.
  await server.stop();
  server = await startTestServer({ databaseUrl: proxy.url });
  expect((await withKey(key)).status).toBe(200);
  // Otherwise they would first wait for it to be written.
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
    // One looks up a key, one the usage of others, and one writes the usage of this one.
    await untilBlocked(database.sql, 3);
    // For longer than keys stay cached without hearing from PostgreSQL.
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      expect((await withKey(key)).status).toBe(200);
      await Bun.sleep(20);
    }
  });
  await Promise.all(asked);
});

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
    await until(async () => (await failing()) === "1", 10_000);
  });
  await until(async () => (await failing()) === "0", 10_000);
  const [{ used }] = await database.sql<[{ used: number }]>`select used::integer from usage`;
  expect(used).toBe(2);
}, 30_000);

test("a server that cannot write the usage of keys says so at shutdown", async () => {
  const other = await startTestServer({ databaseUrl: proxy.url });
  const answer = await fetch(`${other.url}/api/v1/businesses/a-shop`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  // Within the second before it would be written.
  await proxy.cut();
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
  proxy.hold();
  await keptIsOver();
  const [{ status, error, seconds }, healthStatus] = await Promise.all([ask(), health()]);
  expect({ status, error }).toEqual({ status: 503, error: "unavailable" });
  expect(seconds).toBeLessThan(6);
  expect(healthStatus).toBe(503);
  await proxy.mend();
  await until(async () => (await ask()).status === 200, 10_000);
});
