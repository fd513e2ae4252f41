import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createAdmission } from "../../src/access/admission.ts";
import type { Decision } from "../../src/access/decisions.ts";
import type { ApiKey } from "../../src/access/keys.ts";
import { createLocalLimiter } from "../../src/access/local.ts";
import { createMeters, meterName } from "../../src/access/meters.ts";
import { freshRedis, patient, redisAlone } from "../support.ts";

// The scripts on a real Redis, and the local limiter that replaces them during an outage, against plain
// models of what they should decide, step by step.

const SECOND = 1_000_000;
const RUNS = 2_000;

let now = 0;
const redis = (await freshRedis()).client;
const admission = createAdmission(redis, { ...redisAlone, clock: () => now });
const meters = createMeters(redis, { ...patient, clock: () => now });
afterAll(() => redis.disconnect());

let subjects = 0;

/** Times around the turn of a month, and any others. Microseconds since 1970. */
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

/** How far the clock moves before a step: sometimes just to the end of a window, sometimes back. */
const elapsed = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 * SECOND }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 90 * SECOND }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 86_400 }).map((days) => days * SECOND) },
  { weight: 1, arbitrary: fc.constantFrom(60 * SECOND - 1, 60 * SECOND) },
  { weight: 1, arbitrary: fc.integer({ min: -7_200 * SECOND, max: -1 }) },
);

/** Admissions of the last 60 seconds; when the clock steps back, all of them move with the newest. */
class WindowModel {
  private times: number[] = [];
  constructor(private limit: number) {}

  /** @returns 0 when admitted, otherwise microseconds until there is room */
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
  const local = createLocalLimiter(1, () => now);
  await expectWindowOfModel(60, (client) => local.admitClient(client));
}, 120_000);

test("without Redis a server gives each client its share of the window, rounded down", async () => {
  const local = createLocalLimiter(7, () => now);
  await expectWindowOfModel(8, (client) => local.admitClient(client));
}, 120_000);

interface Limits {
  quota: number;
  perMinute: number;
  burst: number;
}

/**
 * In exact fractions: the bucket of all servers together gains `perMinute` parts per microsecond. Only a
 * charge advances it. Each of several servers has its share of the bucket, at least one request.
 */
class MeterModel {
  private charged: { month: string; used: number; level: bigint; time: number } | null = null;
  private token: bigint;

  constructor(private instances = 1) {
    this.token = 60_000_000n * BigInt(instances);
  }

  charge(now: number, limits: Limits, cost: number): Decision {
    const standing = this.at(now, limits);
    const price = BigInt(cost) * this.token;
    let reason: "quota_exceeded" | "rate_limited" | null = null;
    if (cost > 0 && standing.used + cost > limits.quota) reason = "quota_exceeded";
    else if (standing.level < price) reason = "rate_limited";
    const missing = price - standing.level;
    if (reason === null && cost > 0) {
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
    const nextTokenInSeconds = secondsToGain(this.token - (level % this.token));
    const tokensLeft = Number(level / this.token);
    const reading = { month, used, monthEndsInSeconds, tokensLeft, nextTokenInSeconds };
    if (reason === null) return { ...reading, admitted: true };
    const retryAfterSeconds =
      reason === "quota_exceeded" ? monthEndsInSeconds : secondsToGain(missing);
    return { ...reading, admitted: false, reason, retryAfterSeconds };
  }

  /** The level is capped at the burst whenever it is read. */
  refund(month: string): void {
    if (this.charged?.month !== month) return;
    this.charged.used = Math.max(0, this.charged.used - 1);
    this.charged.level += this.token;
  }

  private at(now: number, { perMinute, burst }: Limits) {
    const current = new Date(now / 1_000).toISOString().slice(0, 7);
    const full = this.full(burst);
    if (!this.charged) return { month: current, used: 0, level: full, time: now };
    const { month, used, level, time } = this.charged;
    const gain = BigInt(Math.max(0, now - time) * perMinute);
    return {
      ...(current > month ? { month: current, used: 0 } : { month, used }),
      level: least(level + gain, full),
      time: now,
    };
  }

  private full(burst: number): bigint {
    return BigInt(Math.max(1, Math.floor(burst / this.instances))) * this.token;
  }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
function endOf(month: string): number {
  const [year = 0, ordinal = 0] = month.split("-").map(Number);
  return Date.UTC(year, ordinal) * 1_000;
}

const limits = fc.record({
  quota: fc.integer({ min: 1, max: 60 }),
  perMinute: fc.integer({ min: 1, max: 700 }),
  burst: fc.integer({ min: 1, max: 30 }),
});

test("bucket and quota decide as the model does, through refunds and changes of tier", async () => {
  const step = fc.record({
    elapsed,
    costs: fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 12 }),
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
        // The first charge seeds the meter.
        const first = model.charge(now, keyOf(0), 1);
        expect(await admission.admitKey(keyOf(0))).toEqual(first);
        /** The months of the charges that may be refunded. */
        const charged: string[] = [];
        for (const { elapsed, costs, refunds, tier, losesExpiry } of steps) {
          now += elapsed;
          for (const month of charged.splice(0, refunds)) {
            await meters.refund(id, month);
            model.refund(month);
          }
          const key = keyOf(tier);
          if (losesExpiry) await redis.persist(meterName(id));
          const decisions = await Promise.all(costs.map((cost) => meters.charge(key, cost)));
          const expected = costs.map((cost) => model.charge(now, key, cost));
          expect(decisions).toEqual(expected);
          for (const [index, decision] of decisions.entries()) {
            if (!decision.admitted || costs[index] === 0) continue;
            charged.push(decision.month);
          }
          if (losesExpiry) expect(await redis.ttl(meterName(id))).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(admission.state().outages).toBe(0);
}, 120_000);

for (const [which, instances] of [
  ["a server", 1],
  ["one of seven servers, which divide nothing evenly,", 7],
] as const) {
  test(`without Redis ${which} decides about bucket and quota as the model does`, () => {
    const step = fc.record({
      elapsed,
      costs: fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 12 }),
      refunds: fc.integer({ min: 0, max: 2 }),
      tier: fc.integer({ min: 0, max: 1 }),
    });
    // One for all keys, since making it takes longer than a key's whole history.
    const local = createLocalLimiter(instances, () => now);
    fc.assert(
      fc.property(
        start,
        fc.tuple(limits, limits),
        fc.array(step, { maxLength: 15 }),
        (from, tiers, steps) => {
          const id = `key-${++subjects}`;
          const model = new MeterModel(instances);
          /** What PostgreSQL would say. */
          const usage = new Map<string, number>();
          const count = (month: string, requests: number) =>
            usage.set(month, (usage.get(month) ?? 0) + requests);
          const decisionOf = (key: ApiKey, cost: 0 | 1): Decision => {
            const decision = local.charge(key, cost);
            if (!decision) {
              const month = local.month(id);
              local.seed(key, month, usage.get(month) ?? 0);
              return decisionOf(key, cost);
            }
            const { localCharge: _, ...told } = decision;
            expect<unknown>(told).toEqual(model.charge(now, key, cost));
            return decision;
          };
          now = from;
          // The first charge seeds the meter.
          const first = { elapsed: 0, costs: [1] as const, refunds: 0, tier: 0 };
          /** The months of the charges that may be refunded. */
          const charged: string[] = [];
          for (const { elapsed, costs, refunds, tier } of [first, ...steps]) {
            now += elapsed;
            for (const month of charged.splice(0, refunds)) {
              count(month, -1);
              local.refund(id, month);
              model.refund(month);
            }
            const key: ApiKey = { id, meterId: id, tier: "", ...tiers[tier as 0 | 1] };
            for (const cost of costs) {
              const { admitted, month } = decisionOf(key, cost);
              if (!admitted || cost === 0) continue;
              count(month, 1);
              charged.push(month);
            }
          }
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);
}

test("without Redis a server charges its share of what is left of a quota, then asks what all servers have used", () => {
  const local = createLocalLimiter(7, () => now);
  const key = { ...ample, quota: 100 };
  const chargedFrom = (used: number) => {
    local.seed(key, local.month(key.meterId), used);
    let charged = 0;
    while (local.charge(key, 1)?.admitted) charged++;
    return charged;
  };
  expect([0, 30, 90, 99, 100].map(chargedFrom)).toEqual([14, 10, 1, 1, 0]);
  expect(local.charge(key, 1)).toMatchObject({ reason: "quota_exceeded" });
});

test("without Redis a server admits its share of what was left in a bucket", () => {
  const local = createLocalLimiter(2, () => now);
  const key = { ...ample, perMinute: 60, burst: 20 };
  local.seed(key, local.month(key.meterId), 0, 10);
  let charged = 0;
  while (local.charge(key, 1)?.admitted) charged++;
  expect(charged).toBe(5);
});

test("without Redis a server learns nothing from totals of other months, or of keys that nobody uses here", () => {
  now = Date.UTC(2026, 10, 21) * 1_000;
  const local = createLocalLimiter(1, () => now);
  local.seed(ample, "2026-11", 5);
  local.learn(ample.meterId, "2026-10", 700);
  local.learn("another", "2026-11", 700);
  expect(local.charge(ample, 1)).toMatchObject({ admitted: true, used: 6 });
});

test("the bucket level that Redis is told after an outage includes what was refilled and charged meanwhile", () => {
  now = Date.UTC(2026, 10, 21) * 1_000;
  const local = createLocalLimiter(2, () => now);
  const key = { ...ample, perMinute: 60, burst: 20 };
  local.seed(key, "2026-11", 0);
  for (let request = 0; request < 8; request++) local.charge(key, 1);
  now += 3 * SECOND;
  const [told] = local.charged(0);
  expect(told).toMatchObject({ meterId: key.meterId, month: "2026-11", perMinute: 60 });
  expect(told?.tokensLeft()).toBe(7);
  local.charge(key, 1);
  expect(told?.tokensLeft()).toBe(5);
});

test("without Redis a refusal at the very end of a month asks to wait for at least a second", () => {
  now = Date.UTC(2026, 11) * 1_000 - 2;
  // A clock that goes on while a decision is made.
  const local = createLocalLimiter(1, () => ++now);
  local.seed(ample, "2026-11", ample.quota);
  now = Date.UTC(2026, 11) * 1_000 - 2;
  expect(local.charge(ample, 1)).toMatchObject({ month: "2026-11", retryAfterSeconds: 1 });
  expect(local.charge(ample, 1)).toMatchObject({ month: "2026-12", admitted: true, used: 1 });
});

const ample: ApiKey = {
  id: "ample",
  meterId: "ample",
  tier: "",
  quota: 1_000,
  perMinute: 6_000,
  burst: 6_000,
};
