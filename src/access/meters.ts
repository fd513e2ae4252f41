import { Cluster } from "ioredis";
import { batched } from "../store/batches.ts";
import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { type Decision, decisionOf, OPEN_LIMIT, OPEN_WINDOW_MICROSECONDS } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";
import { defineScripts } from "./scripts.ts";

/** Redis has no such meter: it has to be seeded for this month. */
interface UnknownMeter {
  admitted: null;
  month: string;
}

/** What is known of a meter outside Redis. */
export interface KnownMeter {
  meterId: string;
  month: string;
  used: number;
  perMinute: number;
  /** An upper bound of the requests left in the bucket; absent when unknown. */
  tokensLeft?: number | undefined;
}

export type Meters = ReturnType<typeof createMeters>;

/**
 * The windows and meters in Redis. Makes one script call for all decisions of a turn of the event loop. Every
 * method throws when Redis fails or takes too long.
 * @param options.clock microseconds since 1970, for tests; by default Redis's own clock is used
 * @param options.deadlineMs how long Redis may take; longer in tests, where it may be slow without being down
 */
export function createMeters(
  redis: RedisClient,
  {
    clock,
    deadlineMs = DEADLINE_MS,
  }: { clock?: (() => number) | undefined; deadlineMs?: number | undefined },
) {
  defineScripts(redis);
  const now = () => (clock ? clock() : "");

  async function admitClients(names: string[]): Promise<number[]> {
    const answer = redis.admitClients(
      names.length,
      ...names,
      now(),
      OPEN_LIMIT,
      OPEN_WINDOW_MICROSECONDS,
    );
    return await withDeadline(answer, deadlineMs);
  }

  async function chargeKeys(charges: Charge[]): Promise<(Decision | UnknownMeter)[]> {
    const values: (string | number)[] = [];
    for (const { name } of charges) values.push(name);
    values.push(now());
    for (const { key, cost } of charges) {
      values.push(`${key.quota} ${key.burst} ${key.perMinute} ${cost}`);
    }
    const answer = redis
      .admitKeys(charges.length, ...values)
      .then((numbers) => readDecisions(numbers, charges));
    return await withDeadline(answer, deadlineMs, (decisions) => {
      // Too late: this process has already decided by itself, so the charge in Redis is a second one.
      for (const [index, decision] of decisions.entries()) {
        const charge = charges[index];
        if (!decision.admitted || !charge || charge.cost === 0) continue;
        // Best effort: if it fails, the holder of the key loses a request.
        redis.refundKey(charge.name, digitsOf(decision.month)).catch(() => {});
      }
    });
  }

  async function seedMeters(all: readonly KnownMeter[]): Promise<undefined[]> {
    const values: (string | number)[] = [];
    for (const { meterId } of all) values.push(meterName(meterId));
    values.push(now());
    for (const { month, used, perMinute, tokensLeft = "" } of all) {
      values.push(digitsOf(month), used, perMinute, tokensLeft);
    }
    await withDeadline(redis.seedMeters(all.length, ...values), deadlineMs);
    return all.map(() => undefined);
  }

  // On Redis Cluster a script may touch only one slot: items with different names need separate calls.
  const isCluster = redis instanceof Cluster;
  const inBatches = <Item, Answer>(
    send: (items: Item[]) => Promise<Answer[]>,
    groupOf: (item: Item) => string,
  ) => batched(send, { batchSize: BATCH_SIZE, apart: isCluster ? groupOf : undefined });
  const admitClient = inBatches(admitClients, (name) => name);
  const charge = inBatches(chargeKeys, ({ name }) => name);
  const seed = inBatches(seedMeters, ({ meterId }) => meterId);

  return {
    /** Admits a client's request, or not. @returns 0 when admitted, or microseconds until there is room */
    admitClient: (client: string) => admitClient(windowName(client)),
    /** Charges a request to a key's meter, or says why not; cost 0 only reads the meter. */
    charge: (key: ApiKey, cost: 0 | 1) => charge({ name: meterName(key.meterId), key, cost }),
    /** Refunds one request that was charged in this month. */
    refund: (meterId: string, month: string) =>
      withDeadline(redis.refundKey(meterName(meterId), digitsOf(month)), deadlineMs),
    /** Raises a meter's count to what is known elsewhere, and lowers its bucket likewise. */
    seed,
    /** The same for many, sent at once and so ahead of anything later, rather than at the end of the turn. */
    seedNow: (all: readonly KnownMeter[]) =>
      Promise.all(inParts(all, isCluster ? 1 : BATCH_SIZE).map(seedMeters)),
  };
}

/** No caller waits for more decisions than this. */
export const BATCH_SIZE = 256;

export const inParts = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );

const DEADLINE_MS = 100;

interface Charge {
  name: string;
  key: ApiKey;
  cost: 0 | 1;
}

// The braces are hash tags: on Redis Cluster they alone decide where a key lives. Not `window:` and `meter:`:
// servers of an older version use these for values that today's scripts cannot read.
export const windowName = (client: string) => `admissions:{${client}}`;
export const meterName = (meterId: string) => `standing:{${meterId}}`;

/** `2026-11` in the form of the scripts, 202611. */
const digitsOf = (month: string) => month.replace("-", "");
const nameOf = (digits: number) =>
  `${Math.floor(digits / 100)}-${String(digits % 100).padStart(2, "0")}`;

// As in admit-keys.lua; the next number, 3, means that Redis does not know the meter.
const OUTCOMES = ["admitted", "rate_limited", "quota_exceeded"] as const;
const PLACES = 4;

/** The answer of admit-keys.lua. */
function readDecisions(answer: number[], charges: readonly Charge[]): (Decision | UnknownMeter)[] {
  const time = answer[0] as number;
  let digits = Number.NaN;
  let month = "";
  return charges.map(({ key: { perMinute } }, index) => {
    const at = 1 + index * PLACES;
    const outcome = OUTCOMES[answer[at] as number];
    const used = answer[at + 2] as number;
    const level = answer[at + 3] as number;
    if (answer[at + 1] !== digits) {
      digits = answer[at + 1] as number;
      month = nameOf(digits);
    }
    if (!outcome) return { admitted: null, month };
    return decisionOf(outcome, { month, used, level, perMinute, time });
  });
}
