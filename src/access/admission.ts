import type { Result } from "ioredis";
import type { RedisClient } from "../store/redis.ts";
import type { ApiKey } from "./keys.ts";
import admitClientLua from "./lua/admit-client.lua" with { type: "text" };
import admitKeyLua from "./lua/admit-key.lua" with { type: "text" };
import refundKeyLua from "./lua/refund-key.lua" with { type: "text" };

/** Decides which requests are let in. Every method throws AdmissionUnavailable when Redis is away. */
export interface Admission {
  /** Open access: at most 60 requests in any 60 seconds. A refusal is not counted. */
  admitClient(client: string): Promise<ClientAdmission>;
  /** Keyed access: charges one request to bucket and quota, or, when one of them is empty, nothing. */
  admitKey(key: ApiKey): Promise<KeyAdmission>;
  /** Gives back what an admission charged; nothing once its month is over. */
  refundKey(key: ApiKey, admission: MeterReading): Promise<void>;
  /** How the key stands now. Charges nothing. */
  usage(key: ApiKey): Promise<MeterReading>;
}

export type ClientAdmission = { admitted: true } | { admitted: false; retryAfterSeconds: number };

export type KeyAdmission = MeterReading &
  (
    | { admitted: true }
    | { admitted: false; reason: "rate_limited" | "quota_exceeded"; retryAfterSeconds: number }
  );

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

/** Redis gave no decision. */
export class AdmissionUnavailable extends Error {
  constructor(cause: unknown) {
    super("Redis did not decide about an admission", { cause });
    this.name = "AdmissionUnavailable";
  }
}

/**
 * Admission by scripts in Redis, one call each.
 * @param clock microseconds since 1970, for tests; otherwise the scripts ask Redis's own clock
 */
export function createAdmission(
  redis: RedisClient,
  { clock }: { clock?: () => number } = {},
): Admission {
  redis.defineCommand("admitClient", { numberOfKeys: 1, lua: admitClientLua });
  redis.defineCommand("admitKey", { numberOfKeys: 1, lua: admitKeyLua });
  redis.defineCommand("refundKey", { numberOfKeys: 1, lua: refundKeyLua });
  const now = () => (clock ? [clock()] : []);

  /** Charges `cost` requests, or says why not; 0 only looks. */
  async function charge(key: ApiKey, cost: number) {
    const { quota, burst, perMinute } = key;
    const [outcome, retryAfterSeconds, month, used, monthEnds, tokensLeft, nextToken] =
      await orUnavailable(redis.admitKey(meterName(key), quota, burst, perMinute, cost, ...now()));
    const reading: MeterReading = {
      month: `${Math.floor(month / 100)}-${String(month % 100).padStart(2, "0")}`,
      used,
      monthEndsInSeconds: monthEnds,
      tokensLeft,
      nextTokenInSeconds: nextToken,
    };
    return { outcome, retryAfterSeconds, reading };
  }

  return {
    async admitClient(client) {
      const waitMicroseconds = await orUnavailable(
        redis.admitClient(windowName(client), OPEN_LIMIT, OPEN_WINDOW_MICROSECONDS, ...now()),
      );
      return waitMicroseconds === 0
        ? { admitted: true }
        : { admitted: false, retryAfterSeconds: Math.ceil(waitMicroseconds / 1_000_000) };
    },
    async admitKey(key) {
      const { outcome, retryAfterSeconds, reading } = await charge(key, 1);
      if (outcome === ADMITTED) return { ...reading, admitted: true };
      const reason = outcome === RATE_LIMITED ? "rate_limited" : "quota_exceeded";
      return { ...reading, admitted: false, reason, retryAfterSeconds };
    },
    async refundKey(key, { month }) {
      await orUnavailable(redis.refundKey(meterName(key), month.replace("-", ""), 1));
    },
    usage: async (key) => (await charge(key, 0)).reading,
  };
}

const OPEN_LIMIT = 60;
const OPEN_WINDOW_MICROSECONDS = 60_000_000;

// The outcomes of admit-key.lua; the third is 2, quota used up.
const ADMITTED = 0;
const RATE_LIMITED = 1;

// The braces are hash tags: on Redis Cluster they alone decide where a name lives.
const windowName = (client: string) => `window:{${client}}`;
const meterName = ({ meterId }: ApiKey) => `meter:{${meterId}}`;

async function orUnavailable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new AdmissionUnavailable(error);
  }
}

/** The answer of admit-key.lua. */
type KeyAnswer = [
  outcome: number,
  retryAfter: number,
  month: number,
  used: number,
  monthEnds: number,
  tokens: number,
  nextToken: number,
];

declare module "ioredis" {
  interface RedisCommander<Context> {
    admitClient(
      name: string,
      limit: number,
      windowMicroseconds: number,
      ...now: number[]
    ): Result<number, Context>;
    admitKey(
      name: string,
      quota: number,
      capacity: number,
      perMinute: number,
      cost: number,
      ...now: number[]
    ): Result<KeyAnswer, Context>;
    refundKey(name: string, month: string, cost: number): Result<number, Context>;
  }
}
