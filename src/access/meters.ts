import type { Result } from "ioredis";
import { Cluster } from "ioredis";
import { batched } from "../store/batches.ts";
import type { RedisClient } from "../store/redis.ts";
import { withDeadline } from "./deadline.ts";
import type { ApiKey } from "./keys.ts";
import admitClientsLua from "./lua/admit-clients.lua" with { type: "text" };
import admitKeysLua from "./lua/admit-keys.lua" with { type: "text" };
import refundKeyLua from "./lua/refund-key.lua" with { type: "text" };
import seedMetersLua from "./lua/seed-meters.lua" with { type: "text" };

/**
 * The windows and meters in Redis. Every method throws when Redis fails or takes longer than
 * DEADLINE_MS.
 */
export interface Meters {
  /** Lets a client's request in, or not. @returns 0, or microseconds until there is room */
  admitClient(client: string): Promise<number>;
  /** Charges a key's meter with `cost` requests or says why not; 0 only looks. */
  charge(key: ApiKey, cost: number): Promise<Decision>;
  /** Gives back one request that was charged in this month. */
  refund(meterId: string, month: string): Promise<void>;
  /** Raises what a meter has used to what is known elsewhere, and lowers its bucket likewise. */
  seed(standing: Standing): Promise<void>;
}

/** How a key's meter stands after a decision. Seconds are whole, rounded up. */
export interface MeterReading {
  /** The calendar month in UTC that is counted, such as `2026-11`. */
  month: string;
  /** Requests charged in this month. */
  used: number;
  /** Until the first of the next month, when the quota is whole again. */
  monthEndsInSeconds: number;
  /** Whole requests left in the bucket. */
  tokensLeft: number;
  /** Until there is one more. */
  nextTokenInSeconds: number;
}

export type Outcome = "admitted" | "rate_limited" | "quota_exceeded";

export interface Decision {
  /** Unknown: Redis has no such meter, so the reading says nothing but the month. */
  outcome: Outcome | "unknown";
  retryAfterSeconds: number;
  reading: MeterReading;
}

/** What is known of a meter outside of Redis. */
export interface Standing {
  meterId: string;
  month: string;
  used: number;
  perMinute: number;
  /** Requests left in the bucket at most; absent when nothing is known. */
  tokensLeft?: number | undefined;
}

export const OPEN_LIMIT = 60;
export const OPEN_WINDOW_MICROSECONDS = 60_000_000;

/**
 * One script call for all decisions of a turn of the event loop.
 * @param options.clock microseconds since 1970, for tests; otherwise Redis's own clock decides
 * @param options.batch the most decisions in a call; 1 is a call for each
 */
export function createMeters(
  redis: RedisClient,
  { clock, batch = LARGEST_BATCH }: { clock?: (() => number) | undefined; batch?: number } = {},
): Meters {
  redis.defineCommand("admitClients", { lua: admitClientsLua });
  redis.defineCommand("admitKeys", { lua: admitKeysLua });
  redis.defineCommand("refundKey", { numberOfKeys: 1, lua: refundKeyLua });
  redis.defineCommand("seedMeters", { lua: seedMetersLua });
  const now = () => (clock ? clock() : "");

  async function admitClients(names: string[]): Promise<number[]> {
    const answer = redis.admitClients(
      names.length,
      ...names,
      now(),
      OPEN_LIMIT,
      OPEN_WINDOW_MICROSECONDS,
    );
    return await withDeadline(answer, DEADLINE_MS);
  }

  async function chargeKeys(charges: Charge[]): Promise<Decision[]> {
    const values: (string | number)[] = [];
    for (const { name } of charges) values.push(name);
    values.push(now());
    for (const { key, cost } of charges) values.push(key.quota, key.burst, key.perMinute, cost);
    const answer = redis.admitKeys(charges.length, ...values).then(readDecisions);
    return await withDeadline(answer, DEADLINE_MS, (decisions) => {
      // Too late: they were decided elsewhere, so what was charged here is charged twice.
      for (const [index, { outcome, reading }] of decisions.entries()) {
        const charge = charges[index];
        if (outcome !== "admitted" || !charge || charge.cost === 0) continue;
        // Best effort: without it the holder of the key has a request less.
        redis.refundKey(charge.name, digitsOf(reading.month), charge.cost).catch(() => {});
      }
    });
  }

  async function seedMeters(standings: Standing[]): Promise<undefined[]> {
    const values: (string | number)[] = [];
    for (const { meterId } of standings) values.push(meterName(meterId));
    values.push(now());
    for (const { month, used, perMinute, tokensLeft = "" } of standings) {
      values.push(digitsOf(month), used, perMinute, tokensLeft);
    }
    await withDeadline(redis.seedMeters(standings.length, ...values), DEADLINE_MS);
    return standings.map(() => undefined);
  }

  // A script on Redis Cluster may touch one slot only; each name is a hash tag, so in one slot.
  const isCluster = redis instanceof Cluster;
  const inBatches = <Item, Answer>(
    send: (items: Item[]) => Promise<Answer[]>,
    nameOf: (item: Item) => string,
  ) => batched(send, { limit: batch, apart: isCluster ? nameOf : undefined });
  const admitClient = inBatches(admitClients, (name) => name);
  const charge = inBatches(chargeKeys, ({ name }) => name);
  const seed = inBatches(seedMeters, ({ meterId }) => meterId);

  return {
    admitClient: (client) => admitClient(windowName(client)),
    charge: (key, cost) => charge({ name: meterName(key.meterId), key, cost }),
    async refund(meterId, month) {
      await withDeadline(redis.refundKey(meterName(meterId), digitsOf(month), 1), DEADLINE_MS);
    },
    seed,
  };
}

/** A caller waits for no more decisions than these. */
const LARGEST_BATCH = 256;

const DEADLINE_MS = 100;

interface Charge {
  name: string;
  key: ApiKey;
  cost: number;
}

// The braces are hash tags: on Redis Cluster they alone decide where a name lives.
const windowName = (client: string) => `admissions:{${client}}`;
const meterName = (meterId: string) => `standing:{${meterId}}`;

/** `2026-11` as the scripts have it, 202611. */
const digitsOf = (month: string) => month.replace("-", "");

const OUTCOMES = ["admitted", "rate_limited", "quota_exceeded", "unknown"] as const;
const PLACES = 7;

/** The answer of admit-keys.lua. */
function readDecisions(answer: number[]): Decision[] {
  const decisions: Decision[] = [];
  for (let at = 0; at < answer.length; at += PLACES) {
    const month = answer[at + 2] as number;
    decisions.push({
      outcome: OUTCOMES[answer[at] as number] as Decision["outcome"],
      retryAfterSeconds: answer[at + 1] as number,
      reading: {
        month: `${Math.floor(month / 100)}-${String(month % 100).padStart(2, "0")}`,
        used: answer[at + 3] as number,
        monthEndsInSeconds: answer[at + 4] as number,
        tokensLeft: answer[at + 5] as number,
        nextTokenInSeconds: answer[at + 6] as number,
      },
    });
  }
  return decisions;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    admitClients(count: number, ...values: (string | number)[]): Result<number[], Context>;
    admitKeys(count: number, ...values: (string | number)[]): Result<number[], Context>;
    refundKey(name: string, month: string, cost: number): Result<number, Context>;
    seedMeters(count: number, ...values: (string | number)[]): Result<number, Context>;
  }
}
