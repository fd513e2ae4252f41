import { afterAll, expect, test } from "bun:test";
import { createAdmission } from "../../src/access/admission.ts";
import { windowName } from "../../src/access/meters.ts";
import { freshRedis, newAddress, redisAlone } from "../support.ts";

const SECOND = 1_000_000;
const WINDOW = 60 * SECOND;
const START = Date.UTC(2026, 10, 21) * 1_000;

/** Microseconds since 1970, for the tests that set the clock. */
let now = START;
const redis = (await freshRedis()).client;
const admission = createAdmission(redis, redisAlone);
const timed = createAdmission(redis, { ...redisAlone, clock: () => now });
afterAll(() => redis.disconnect());

/** How many of so many sequential requests are admitted. */
async function admitted(client: string, requests: number): Promise<number> {
  let count = 0;
  for (let request = 0; request < requests; request++) {
    if ((await timed.admitClient(client)) === 0) count++;
  }
  return count;
}

test("of 200 concurrent requests from one client exactly 60 are admitted, by Redis's own clock", async () => {
  const client = newAddress();
  const waits = await Promise.all(Array.from({ length: 200 }, () => admission.admitClient(client)));
  expect(waits.filter((wait) => wait === 0).length).toBe(60);
  for (const wait of waits) {
    if (wait > 0) expect([59, 60]).toContain(wait);
  }
});

test("Redis's own clock counts in microseconds", async () => {
  const client = newAddress();
  const time = async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * SECOND + Number(microseconds);
  };
  const before = await time();
  await admission.admitClient(client);
  const log = await redis.getBuffer(windowName(client));
  expect(log?.readDoubleBE()).toBeWithin(before, (await time()) + 1);
});

test("each client has a window of its own", async () => {
  const [one, other] = [newAddress(), newAddress()];
  expect(await admitted(one, 61)).toBe(60);
  expect(await admitted(other, 61)).toBe(60);
});

test("there is room again when the oldest request is 60 seconds old, to the microsecond", async () => {
  const client = newAddress();
  now = START;
  expect(await admitted(client, 1)).toBe(1);
  now = START + 30 * SECOND;
  expect(await admitted(client, 60)).toBe(59);
  now = START + WINDOW - 1;
  expect(await timed.admitClient(client)).toBe(1);
  now = START + WINDOW;
  expect(await admitted(client, 60)).toBe(1);
  now = START + WINDOW + 29 * SECOND + 1;
  expect(await timed.admitClient(client)).toBe(1);
  now = START + WINDOW + 30 * SECOND;
  expect(await admitted(client, 100)).toBe(59);
});

test("a burst at the end of one minute is not admitted again at the start of the next", async () => {
  const client = newAddress();
  now = START + 59 * SECOND;
  expect(await admitted(client, 60)).toBe(60);
  now = START + 61 * SECOND;
  expect(await admitted(client, 60)).toBe(0);
});

test("a refusal says how long until the oldest request leaves, in whole seconds rounded up", async () => {
  const client = newAddress();
  now = START;
  await admitted(client, 60);
  for (const [elapsed, retryAfterSeconds] of [
    [0, 60],
    [1, 60],
    [SECOND, 59],
    [58 * SECOND + 1, 2],
    [59 * SECOND, 1],
    [WINDOW - 1, 1],
  ] as const) {
    now = START + elapsed;
    expect(await timed.admitClient(client)).toBe(retryAfterSeconds);
  }
});

test("a refusal writes nothing", async () => {
  const client = newAddress();
  now = START;
  await admitted(client, 60);
  const log = await redis.getBuffer(windowName(client));
  const expiry = await redis.pexpiretime(windowName(client));
  now = START + 10 * SECOND;
  expect(await admitted(client, 20)).toBe(0);
  expect(await redis.getBuffer(windowName(client))).toEqual(log);
  expect(await redis.pexpiretime(windowName(client))).toBe(expiry);
});

test("a client's log holds no more than 60 times and is gone a window after its last request", async () => {
  const client = newAddress();
  for (let minute = 0; minute < 5; minute++) {
    now = START + minute * WINDOW;
    await admitted(client, 70);
  }
  expect(await redis.strlen(windowName(client))).toBe(60 * 8);
  expect(await redis.pttl(windowName(client))).toBeWithin(50_000, 60_001);
});

test("a lost expiry is repaired, by a refusal too", async () => {
  const client = newAddress();
  now = START;
  await admitted(client, 1);
  await redis.persist(windowName(client));
  await admitted(client, 59);
  expect(await redis.pttl(windowName(client))).toBeGreaterThan(0);
  await redis.persist(windowName(client));
  expect(await admitted(client, 1)).toBe(0);
  expect(await redis.pttl(windowName(client))).toBeGreaterThan(0);
});

test("a clock that steps back admits nothing extra, and nobody waits for longer than a window", async () => {
  const client = newAddress();
  now = START;
  expect(await admitted(client, 30)).toBe(30);
  now = START + 10 * SECOND;
  expect(await admitted(client, 30)).toBe(30);
  now -= 3_600 * SECOND;
  const back = now;
  // The first thirty are 10 seconds older than the newest, as before.
  expect(await timed.admitClient(client)).toBe(50);
  now = back + 50 * SECOND - 1;
  expect(await admitted(client, 1)).toBe(0);
  now = back + 50 * SECOND;
  expect(await admitted(client, 60)).toBe(30);
  now = back + WINDOW;
  expect(await admitted(client, 60)).toBe(30);
});

test("a script that Redis has forgotten is sent again", async () => {
  const client = newAddress();
  await admission.admitClient(client);
  await redis.script("FLUSH");
  expect(await admission.admitClient(client)).toBe(0);
});
