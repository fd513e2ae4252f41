import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Admission, createAdmission } from "../../src/access/admission.ts";
import type { ApiKey } from "../../src/access/keys.ts";
import { createLocalLimiter } from "../../src/access/local.ts";
import { createMeters, type Meters } from "../../src/access/meters.ts";
import type { RedisClient } from "../../src/store/redis.ts";
import { freshRedis } from "../support.ts";

// The scripts on a real Redis, and what stands in for them while it is away, beside plain models of
// what they ought to do, step by step.

const SECOND = 1_000_000;
const RUNS = 5_000;

let redis: RedisClient;
let now = 0;
let admission: Admission;
let meters: Meters;
beforeAll(async () => {
  redis = (await freshRedis()).client;
  admission = createAdmission(redis, { clock: () => now });
  meters = createMeters(redis, { clock: () => now });
});
afterAll(() => redis.disconnect());

let subjects = 0;

/** Moments around which months turn, and any other. Microseconds since 1970. */
const start = fc
  .oneof(
    fc
      .constantFrom("2026-12-01", "2027-01-01", "2028-02-29", "2028-03-01", "2027-03-01")
      .chain((day) =>
        fc.integer({ min: -90, max: 90 }).map((seconds) => Date.parse(day) / 1_000 + seconds),
      ),
    fc.integer({ min: Date.UTC(2024, 0) / 1_000, max: Date.UTC(2034, 0) / 1_000 }),
  )
  .map((seconds) => seconds * SECOND);

/** How far the clock moves before a step; sometimes to where a window just ends, sometimes back. */
const elapsed = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 * SECOND }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 90 * SECOND }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 86_400 }).map((days) => days * SECOND) },
  { weight: 1, arbitrary: fc.constantFrom(60 * SECOND - 1, 60 * SECOND) },
  { weight: 1, arbitrary: fc.integer({ min: -7_200 * SECOND, max: -1 }) },
);

/** Admissions of the last 60 seconds; when the clock steps back, all move with the newest. */
class WindowModel {
  private times: number[] = [];
  constructor(private limit: number) {}

  /** @returns 0 when let in, or microseconds until there is room */
  admit(now: number): number {
    const ahead = Math.max(0, (this.times.at(-1) ?? 0) - now);
    this.times = this.times.map((time) => time - ahead).filter((time) => now - time < 60 * SECOND);
    if (this.times.length === this.limit) return (this.times[0] ?? 0) + 60 * SECOND - now;
    this.times.push(now);
    return 0;
  }
}

async function expectWindowOfModel(
  limit: number,
  admitClient: (client: string) => number | Promise<number>,
): Promise<void> {
  const step = fc.record({ elapsed, requests: fc.integer({ min: 1, max: 40 }) });
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { maxLength: 12 }), async (from, steps) => {
      const client = `client-${++subjects}`;
      const model = new WindowModel(limit);
      now = from;
      for (const { elapsed, requests } of steps) {
        now += elapsed;
        const waits = await Promise.all(
          Array.from({ length: requests }, () => admitClient(client)),
        );
        expect(waits).toEqual(waits.map(() => model.admit(now)));
      }
    }),
    { numRuns: RUNS },
  );
}

test("the sliding window decides as the model does", async () => {
  await expectWindowOfModel(60, (client) => meters.admitClient(client));
}, 120_000);

test("without Redis the sliding window decides as the model does", async () => {
  const local = createLocalLimiter({ instances: 1, now: () => now });
  await expectWindowOfModel(60, (client) => local.admitClient(client));
}, 120_000);

test("without Redis a server lets each client have its share of the window, rounded down", async () => {
  const local = createLocalLimiter({ instances: 7, now: () => now });
  await expectWindowOfModel(8, (client) => local.admitClient(client));
}, 120_000);

interface Limits {
  quota: number;
  perMinute: number;
  burst: number;
}

/** In exact fractions: tokens are counted in sixty-millionths. Only a charge moves it on. */
class MeterModel {
  private charged: { month: string; used: number; level: bigint; time: number } | null = null;

  charge(now: number, limits: Limits, cost: number) {
    const standing = this.at(now, limits);
    const price = BigInt(cost) * TOKEN;
    let outcome = "admitted";
    if (cost > 0 && standing.used + cost > limits.quota) outcome = "quota_exceeded";
    else if (standing.level < price) outcome = "rate_limited";
    const missing = price - standing.level;
    if (outcome === "admitted" && cost > 0) {
      standing.used += cost;
      standing.level -= price;
      this.charged = { ...standing };
    } else if (this.charged && this.charged.time > now) {
      this.charged.time = now;
    }
    const { month, used, level } = standing;
    const monthEndsInSeconds = Math.ceil((endOf(month) - now) / SECOND);
    const secondsToGain = (parts: bigint) => {
      const perSecond = BigInt(limits.perMinute * SECOND);
      return Math.max(1, Number((parts + perSecond - 1n) / perSecond));
    };
    const nextTokenInSeconds = secondsToGain(TOKEN - (level % TOKEN));
    const tokensLeft = Number(level / TOKEN);
    let retryAfterSeconds = 0;
    if (outcome === "quota_exceeded") retryAfterSeconds = monthEndsInSeconds;
    if (outcome === "rate_limited") retryAfterSeconds = secondsToGain(missing);
    const reading = { month, used, monthEndsInSeconds, tokensLeft, nextTokenInSeconds };
    return { outcome, retryAfterSeconds, reading };
  }

  refund(month: string, { burst }: Limits): void {
    if (this.charged?.month !== month) return;
    this.charged.used = Math.max(0, this.charged.used - 1);
    this.charged.level = least(this.charged.level + TOKEN, BigInt(burst) * TOKEN);
  }

  private at(now: number, { perMinute, burst }: Limits) {
    const current = new Date(now / 1_000).toISOString().slice(0, 7);
    const full = BigInt(burst) * TOKEN;
    if (!this.charged) return { month: current, used: 0, level: full, time: now };
    const { month, used, level, time } = this.charged;
    const gain = BigInt(Math.max(0, now - time) * perMinute);
    return {
      ...(current > month ? { month: current, used: 0 } : { month, used }),
      level: least(level + gain, full),
      time: now,
    };
  }
}

const TOKEN = 60_000_000n;
const least = (a: bigint, b: bigint) => (a < b ? a : b);
function endOf(month: string): number {
  const [year = 0, ordinal = 0] = month.split("-").map(Number);
  return Date.UTC(year, ordinal) * 1_000;
}

test("bucket and quota decide as the model does, through refunds and changes of tier", async () => {
  const limits = fc.record({
    quota: fc.integer({ min: 1, max: 60 }),
    perMinute: fc.integer({ min: 1, max: 700 }),
    burst: fc.integer({ min: 1, max: 30 }),
  });
  const step = fc.record({
    elapsed,
    costs: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 }),
    refunds: fc.integer({ min: 0, max: 2 }),
    tier: fc.integer({ min: 0, max: 1 }),
    losesExpiry: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.tuple(limits, limits),
      fc.array(step, { maxLength: 15 }),
      async (from, tiers, steps) => {
        const id = `key-${++subjects}`;
        const keyOf = (tier: number): ApiKey => {
          return { id, meterId: id, tier: "", ...tiers[tier as 0 | 1] };
        };
        const model = new MeterModel();
        now = from;
        // The first one makes the meter known.
        const first = model.charge(now, keyOf(0), 1);
        expect(await admission.admitKey(keyOf(0))).toEqual({ ...first.reading, admitted: true });
        for (const { elapsed, costs, refunds, tier, losesExpiry } of steps) {
          now += elapsed;
          const key = keyOf(tier);
          if (losesExpiry) await redis.persist(`standing:{${id}}`);
          const decisions = await Promise.all(costs.map((cost) => meters.charge(key, cost)));
          const expected = costs.map((cost) => model.charge(now, key, cost));
          expect(decisions).toEqual(expected as typeof decisions);
          for (const [index, { outcome, reading }] of decisions.slice(0, refunds).entries()) {
            if (outcome !== "admitted" || costs[index] === 0) continue;
            await meters.refund(id, reading.month);
            model.refund(reading.month, key);
          }
          if (losesExpiry) expect(await redis.ttl(`standing:{${id}}`)).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(admission.state().outages).toBe(0);
}, 120_000);
