import { afterAll, expect } from "bun:test";
import { createAdmission } from "../../src/access/admission.ts";
import type { ApiKey } from "../../src/access/keys.ts";
import { createMeters, meterName } from "../../src/access/meters.ts";
import { makeKey } from "../fixtures.ts";
import { freshRedis, patient, redisAlone, testInOneMonth as test } from "../support.ts";

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const at = (time: string) => Date.parse(time) * 1_000;
const START = at("2026-11-21T10:00:00Z");

/** Microseconds since 1970, for the tests that set the clock. */
let now = START;
const redis = (await freshRedis()).client;
const admission = createAdmission(redis, redisAlone);
const timed = createAdmission(redis, { ...redisAlone, clock: () => now });
afterAll(() => redis.disconnect());

/** How many of so many sequential requests are admitted. */
async function admitted(key: ApiKey, requests: number): Promise<number> {
  let count = 0;
  for (let request = 0; request < requests; request++) {
    if ((await timed.admitKey(key)).admitted) count++;
  }
  return count;
}

test("of 500 concurrent requests with one developer key exactly 60 are admitted, and 60 of the quota are used", async () => {
  const key = makeKey();
  const decisions = await Promise.all(Array.from({ length: 500 }, () => admission.admitKey(key)));
  expect(decisions.filter(({ admitted }) => admitted).length).toBe(60);
  for (const decision of decisions) {
    if (!decision.admitted) {
      expect(decision).toMatchObject({ reason: "rate_limited", retryAfterSeconds: 1 });
    }
  }
  expect((await admission.usage(key)).used).toBe(60);
});

test("Redis's own clock counts in microseconds", async () => {
  const time = async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * SECOND + Number(microseconds);
  };
  const standing = async (key: ApiKey) =>
    (await redis.getBuffer(meterName(key.meterId)))?.readDoubleBE(3 * 8);
  const [charged, seeded] = [makeKey(), makeKey()];
  const before = await time();
  await admission.admitKey(charged);
  const { meterId, perMinute } = seeded;
  await createMeters(redis, patient).seed({
    meterId,
    month: "2026-11",
    used: 1,
    perMinute,
    tokensLeft: 1,
  });
  for (const key of [charged, seeded]) {
    expect(await standing(key)).toBeWithin(before, (await time()) + 1);
  }
});

test("the month is that of Redis's own clock", async () => {
  const [seconds] = await redis.time();
  const month = new Date(Number(seconds) * 1_000).toISOString().slice(0, 7);
  expect((await admission.usage(makeKey())).month).toBe(month);
});

test("an admission reports the state of the key", async () => {
  now = START;
  expect(await timed.admitKey(makeKey())).toEqual({
    admitted: true,
    month: "2026-11",
    used: 1,
    monthEndsInSeconds: (at("2026-12-01T00:00:00Z") - START) / SECOND,
    tokensLeft: 59,
    nextTokenInSeconds: 1,
  });
});

test("the bucket refills continuously, to the microsecond, and never above its burst", async () => {
  const key = makeKey({ perMinute: 120, burst: 10 });
  now = START;
  expect(await admitted(key, 20)).toBe(10);
  now = START + SECOND / 2 - 1;
  expect(await admitted(key, 1)).toBe(0);
  now = START + SECOND / 2;
  expect(await admitted(key, 2)).toBe(1);
  now = START + 2 * SECOND;
  expect(await admitted(key, 20)).toBe(3);
  now = START + 600 * SECOND;
  expect(await admitted(key, 20)).toBe(10);
});

test("fractions of a token add up without loss, also at rates that do not divide evenly", async () => {
  const key = makeKey({ perMinute: 7, burst: 2, quota: 1_000_000 });
  now = START;
  expect(await admitted(key, 2)).toBe(2);
  let count = 0;
  // A request every 1/7 minute, rounded up to the microsecond, is always admitted.
  for (let request = 1; request <= 70; request++) {
    now = START + Math.ceil((request * 60 * SECOND) / 7);
    count += await admitted(key, 2);
  }
  expect(count).toBe(70);
});

test("a rate refusal says when the next token comes, in whole seconds rounded up", async () => {
  const key = makeKey({ perMinute: 2, burst: 1 });
  now = START;
  await admitted(key, 1);
  for (const [elapsed, retryAfterSeconds] of [
    [0, 30],
    [1, 30],
    [SECOND, 29],
    [29 * SECOND, 1],
    [30 * SECOND - 1, 1],
  ] as const) {
    now = START + elapsed;
    expect(await timed.admitKey(key)).toMatchObject({
      admitted: false,
      reason: "rate_limited",
      retryAfterSeconds,
      tokensLeft: 0,
      nextTokenInSeconds: retryAfterSeconds,
    });
  }
});

test("a used-up quota wins over an empty bucket, until the first of the next month", async () => {
  const key = makeKey({ quota: 3, perMinute: 1, burst: 3 });
  now = START;
  expect(await admitted(key, 3)).toBe(3);
  expect(await timed.admitKey(key)).toMatchObject({
    admitted: false,
    reason: "quota_exceeded",
    retryAfterSeconds: (at("2026-12-01T00:00:00Z") - START) / SECOND,
    used: 3,
  });
});

test("a refused request costs neither token nor quota and writes nothing", async () => {
  const rateLimited = makeKey({ perMinute: 6, burst: 2 });
  const usedUp = makeKey({ quota: 2 });
  for (const key of [rateLimited, usedUp]) {
    now = START;
    expect(await admitted(key, 2)).toBe(2);
    const meter = await redis.getBuffer(meterName(key.meterId));
    const expiry = await redis.pexpiretime(meterName(key.meterId));
    now = START + 5 * SECOND;
    expect(await admitted(key, 20)).toBe(0);
    expect(await redis.getBuffer(meterName(key.meterId))).toEqual(meter);
    expect(await redis.pexpiretime(meterName(key.meterId))).toBe(expiry);
  }
  now = START + 10 * SECOND;
  expect(await admitted(rateLimited, 2)).toBe(1);
});

test("reading the usage costs nothing", async () => {
  const key = makeKey();
  now = START;
  expect(await timed.usage(key)).toMatchObject({ used: 0, tokensLeft: 60 });
  await admitted(key, 60);
  for (let look = 0; look < 5; look++) {
    expect(await timed.usage(key)).toMatchObject({ used: 60, tokensLeft: 0 });
  }
});

test("the quota rolls over on the first of each month in UTC, also in leap years and at the end of a year", async () => {
  const starts = ["2026-12", "2027-01", "2028-02", "2028-03", "2100-02", "2100-03"];
  for (const month of starts) {
    const key = makeKey({ quota: 2 });
    const start = at(`${month}-01T00:00:00Z`);
    now = start - 1;
    expect(await admitted(key, 3)).toBe(2);
    expect(await timed.admitKey(key)).toMatchObject({ admitted: false, retryAfterSeconds: 1 });
    now = start;
    expect(await timed.admitKey(key)).toMatchObject({ admitted: true, month, used: 1 });
  }
});

test("every day from 2024 to 2033 counts in its calendar month, which ends when it should", async () => {
  const key = makeKey();
  for (let day = at("2024-01-01T12:00:00Z"); day < at("2033-12-31T23:59:59Z"); day += DAY) {
    now = day;
    const date = new Date(day / 1_000);
    const { month, monthEndsInSeconds } = await timed.usage(key);
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    expect([month, monthEndsInSeconds]).toEqual([
      date.toISOString().slice(0, 7),
      (end - date.getTime()) / 1_000,
    ]);
  }
});

test("the bucket carries over the turn of the month", async () => {
  const key = makeKey({ perMinute: 60, burst: 5 });
  now = at("2026-12-01T00:00:00Z") - 1;
  expect(await admitted(key, 10)).toBe(5);
  now += 2;
  expect(await timed.admitKey(key)).toMatchObject({
    reason: "rate_limited",
    month: "2026-12",
    used: 0,
  });
});

test("a clock that steps back admits nothing extra, also across the turn of a month", async () => {
  const key = makeKey({ quota: 8, perMinute: 60, burst: 5 });
  now = at("2026-12-01T00:00:01Z");
  expect(await admitted(key, 10)).toBe(5);
  now -= 3_600 * SECOND;
  expect(await timed.admitKey(key)).toMatchObject({
    reason: "rate_limited",
    retryAfterSeconds: 1,
    month: "2026-12",
    used: 5,
  });
  expect(await redis.ttl(meterName(key.meterId))).toBeGreaterThan(0);
  // Nor does anyone wait for the clock to catch up.
  now += 60 * SECOND;
  expect(await admitted(key, 10)).toBe(3);
  expect(await timed.admitKey(key)).toMatchObject({
    reason: "quota_exceeded",
    retryAfterSeconds: 31 * 86_400 + 3_600 - 61,
  });
});

test("keys that are charged in one batch each keep the month that their meter counts, until it is over", async () => {
  const [ahead, behind] = [makeKey(), makeKey()];
  now = at("2026-11-30T23:59:50Z");
  await timed.admitKey(behind);
  now += 20 * SECOND;
  await timed.admitKey(ahead);
  now -= 20 * SECOND;
  const asked = [ahead, behind, ahead];
  const admissions = await Promise.all(asked.map((key) => timed.admitKey(key)));
  expect(admissions.map(({ month, used }) => [month, used])).toEqual([
    ["2026-12", 2],
    ["2026-11", 2],
    ["2026-12", 3],
  ]);
  const seconds = await Promise.all(asked.map(({ meterId }) => redis.ttl(meterName(meterId))));
  expect(seconds.map((left) => left > 31 * 86_400)).toEqual([true, false, true]);
});

test("a change of tier keeps the usage, and never overfills the bucket", async () => {
  const small = makeKey({ quota: 100, perMinute: 60, burst: 60 });
  const large = { ...small, quota: 1_000, perMinute: 600, burst: 600 };
  now = START;
  expect(await admitted(small, 50)).toBe(50);
  expect(await timed.usage(large)).toMatchObject({ used: 50, tokensLeft: 10 });
  now += SECOND;
  expect(await timed.usage(large)).toMatchObject({ tokensLeft: 20 });
  now += 120 * SECOND;
  expect(await admitted(large, 100)).toBe(100);
  expect(await timed.usage(small)).toMatchObject({ used: 150, tokensLeft: 60 });
  expect(await timed.admitKey(small)).toMatchObject({ reason: "quota_exceeded" });
});

test("keys rolled from one another share one meter", async () => {
  const old = makeKey({ burst: 10 });
  const rolled = { ...old, id: "its-successor" };
  now = START;
  expect(await admitted(old, 6)).toBe(6);
  expect(await admitted(rolled, 6)).toBe(4);
  expect((await timed.usage(old)).used).toBe(10);
});

test("a refund returns token and quota, never above the burst nor below zero", async () => {
  const key = makeKey({ quota: 10, burst: 2 });
  now = START;
  const charged = await timed.admitKey(key);
  await timed.admitKey(key);
  await timed.refundKey(key, charged);
  expect(await timed.usage(key)).toMatchObject({ used: 1, tokensLeft: 1 });
  expect(await admitted(key, 2)).toBe(1);
  for (let refund = 0; refund < 5; refund++) await timed.refundKey(key, charged);
  expect(await timed.usage(key)).toMatchObject({ used: 0, tokensLeft: 2 });
  expect(await admitted(key, 5)).toBe(2);
});

test("a refund keeps the expiry, and creates no meter where there is none", async () => {
  const key = makeKey();
  now = START;
  const charged = await timed.admitKey(key);
  await timed.refundKey(key, charged);
  expect(await redis.ttl(meterName(key.meterId))).toBeGreaterThan(0);
  await redis.del(meterName(key.meterId));
  await timed.refundKey(key, charged);
  expect(await redis.exists(meterName(key.meterId))).toBe(0);
});

test("a refund for a past month returns nothing in the next", async () => {
  const key = makeKey({ quota: 10 });
  now = at("2026-11-30T23:59:59Z");
  const charged = await timed.admitKey(key);
  now += 2 * SECOND;
  await timed.admitKey(key);
  await timed.refundKey(key, charged);
  expect((await timed.usage(key)).used).toBe(1);
});

test("usage seeded for a month later than the meter's counts there, and for an earlier one nowhere", async () => {
  const key = makeKey();
  const { meterId, perMinute } = key;
  const meters = createMeters(redis, { ...patient, clock: () => now });
  now = at("2026-11-30T23:59:59Z");
  await admitted(key, 5);
  now += 2 * SECOND;
  for (const [month, used] of [
    ["2026-12", 3],
    ["2026-11", 9],
  ] as const) {
    await meters.seed({ meterId, month, used, perMinute });
    expect(await timed.usage(key)).toMatchObject({ month: "2026-12", used: 3 });
  }
});

test("a seeded bucket level lowers the bucket and never fills it, whatever the clock does", async () => {
  const key = makeKey({ burst: 10 });
  const meters = createMeters(redis, { ...patient, clock: () => now });
  const tokensAfter = async (tokensLeft: number) => {
    await meters.seed({
      meterId: key.meterId,
      month: "2026-11",
      used: 0,
      perMinute: 60,
      tokensLeft,
    });
    return (await timed.usage(key)).tokensLeft;
  };
  now = START;
  expect([await tokensAfter(4), await tokensAfter(8), await tokensAfter(2)]).toEqual([4, 4, 2]);
  now += 3 * SECOND;
  expect([await tokensAfter(8), await tokensAfter(3)]).toEqual([5, 3]);
  now -= 2 * SECOND;
  expect(await tokensAfter(8)).toBe(3);
});

test("a meter that was only seeded expires within a day, and seeding one that was charged leaves its expiry", async () => {
  const [told, charged] = [makeKey(), makeKey()];
  now = START;
  await timed.admitKey(charged);
  const expiry = await redis.pexpiretime(meterName(charged.meterId));
  const meters = createMeters(redis, patient);
  for (const { meterId, perMinute } of [told, charged]) {
    await meters.seed({ meterId, month: "2026-11", used: 7, perMinute });
  }
  expect(await redis.ttl(meterName(told.meterId))).toBeWithin(86_390, 86_401);
  expect(await redis.pexpiretime(meterName(charged.meterId))).toBe(expiry);
});

test("a meter lives until its month is over and its bucket full, and a lost expiry is repaired", async () => {
  const key = makeKey({ quota: 2, perMinute: 1, burst: 30 });
  now = START;
  await admitted(key, 1);
  const seconds = (at("2026-12-01T00:00:00Z") - START) / SECOND + 30 * 60;
  expect(await redis.ttl(meterName(key.meterId))).toBeWithin(seconds - 5, seconds + 1);
  await redis.persist(meterName(key.meterId));
  await admitted(key, 1);
  expect(await redis.ttl(meterName(key.meterId))).toBeGreaterThan(0);
  await redis.persist(meterName(key.meterId));
  expect(await admitted(key, 1)).toBe(0);
  expect(await redis.ttl(meterName(key.meterId))).toBeGreaterThan(0);
});
