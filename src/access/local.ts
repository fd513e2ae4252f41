import { LRUCache } from "lru-cache";
import {
  type Decision,
  decisionOf,
  OPEN_LIMIT,
  OPEN_WINDOW_MICROSECONDS,
  TOKEN,
} from "./decisions.ts";
import type { ApiKey } from "./keys.ts";

export type LocalLimiter = ReturnType<typeof createLocalLimiter>;

/**
 * The rules of the Lua scripts in this process, for while Redis is down: a sliding window for clients, bucket
 * and quota for keys. Each process admits its share: the limit divided by the number of all processes
 * (`instances`), at least 1.
 * @param now microseconds since 1970
 */
export function createLocalLimiter(instances: number, now = () => Date.now() * 1000) {
  const windows = new LRUCache<string, number[]>({ max: MOST_SUBJECTS });
  const meters = new LRUCache<string, LocalMeter>({ max: MOST_SUBJECTS });
  /** How many charges there have been, of all keys. */
  let charges = 0;
  const share = (limit: number) => Math.max(1, Math.floor(limit / instances));
  // In the unit of admit-keys.lua the whole bucket gains `perMinute` each microsecond. A share gains the
  // same, with tokens `instances` times as large: numbers stay whole, and no rounding errors add up.
  const token = TOKEN * instances;

  /** A month later than the clock's means that the clock stepped back: the meter stays in it. */
  function monthFrom(known = "", time = now()): string {
    const month = new Date(time / 1000).toISOString().slice(0, 7);
    return month > known ? month : known;
  }

  /** As of now: refilled, and in the current month. */
  function standingOf(meter: LocalMeter, { perMinute, burst }: ApiKey): LocalMeter {
    // Read once: between two readings the month may end, and then the wait for its end would be 0.
    const time = now();
    const month = monthFrom(meter.month, time);
    const { usedByAll, used } = month === meter.month ? meter : { usedByAll: 0, used: 0 };
    const level = Math.min(share(burst) * token, meter.level + gained(meter, time, perMinute));
    return { ...meter, month, usedByAll, used, level, time, perMinute };
  }

  return {
    /** @returns 0 when admitted, or microseconds until there is room */
    admitClient(client: string): number {
      const at = now();
      const limit = share(OPEN_LIMIT);
      const known = windows.get(client) ?? [];
      // The clock stepped back: shift all times, keeping their distances, so that the newest is now.
      const ahead = Math.max(0, (known.at(-1) ?? at) - at);
      const times = known
        .map((time) => time - ahead)
        .filter((time) => at - time < OPEN_WINDOW_MICROSECONDS);
      windows.set(client, times);
      if (times.length >= limit) return (times[0] as number) + OPEN_WINDOW_MICROSECONDS - at;
      times.push(at);
      return 0;
    },
    /** Charges `cost` requests; 0 only reads the meter. @returns null when the meter has to be seeded first */
    charge(key: ApiKey, cost: 0 | 1): Decision | null {
      const meter = meters.get(key.meterId);
      if (!meter) return null;
      const standing = standingOf(meter, key);
      const left = key.quota - standing.usedByAll;
      const isUsedUp = left <= 0;
      // This share is used up, but the other processes may have left some of theirs: the total has to be
      // looked up again.
      if (cost > 0 && !isUsedUp && standing.used >= share(left)) return null;

      const isEmpty = standing.level < cost * token;
      const otherwise = isEmpty ? "rate_limited" : "admitted";
      const outcome = cost > 0 && isUsedUp ? "quota_exceeded" : otherwise;
      if (cost > 0 && outcome === "admitted") {
        standing.level -= cost * token;
        standing.used += cost;
        standing.lastCharge = ++charges;
        meters.set(key.meterId, standing);
      } else if (meter.time > standing.time) {
        // The clock stepped back. This is all that a refusal writes: without it, nothing would be refilled
        // until the clock has caught up.
        meter.time = standing.time;
      }
      const used = standing.usedByAll + standing.used;
      const decision = decisionOf(outcome, { ...standing, used }, token);
      return { ...decision, localCharge: standing.lastCharge };
    },
    /** The calendar month in UTC that a meter counts, such as `2026-11`. */
    month: (meterId: string) => monthFrom(meters.peek(meterId)?.month),
    /**
     * Starts a meter, or renews one whose share of the quota is used up.
     * @param used what all processes have charged in that month, as far as known
     * @param tokensLeft in the bucket that all share, when known
     */
    seed({ meterId, perMinute, burst }: ApiKey, month: string, used: number, tokensLeft = burst) {
      // In proportion, so that a full bucket is a full share, however small.
      const level = Math.floor(share(burst) * token * (tokensLeft / burst));
      const bucket = meters.get(meterId) ?? { level, time: now(), perMinute, lastCharge: 0 };
      meters.set(meterId, { ...bucket, month, usedByAll: used, used: 0 });
    },
    /**
     * Takes note of a newer total.
     * @param used what all processes have charged in that month, this one included; after refunds, it may be less
     *   than was known
     */
    learn(meterId: string, month: string, used: number) {
      const meter = meters.peek(meterId);
      if (meter?.month !== month) return;
      meter.usedByAll = Math.max(0, used - meter.used);
    },
    refund(meterId: string, chargedMonth: string) {
      const meter = meters.get(meterId);
      if (meter?.month !== chargedMonth) return;
      if (meter.used > 0) meter.used -= 1;
      else meter.usedByAll = Math.max(0, meter.usedByAll - 1);
      meter.level += token;
    },
    /** How many charges there have been here: the number of the last one. */
    charges: () => charges,
    /** The meters that this process has charged since the charge of that number, and what it knows of them. */
    charged: (after: number) =>
      Array.from(meters)
        .filter(([, { lastCharge }]) => lastCharge > after)
        .map(([meterId, meter]) => {
          const { month, usedByAll, used, perMinute } = meter;
          // In TOKEN, not `token`: for the whole bucket, assuming that the other processes have charged as
          // much.
          const tokensLeft = () => {
            const current = meters.peek(meterId) ?? meter;
            return Math.floor((current.level + gained(current, now(), perMinute)) / TOKEN);
          };
          return { meterId, month, used: usedByAll + used, perMinute, tokensLeft };
        }),
    /**
     * Forgets the meters of the last outage, since Redis has charged them in the meantime. Windows are kept:
     * that outage may have ended only just now.
     */
    forgetMeters: () => meters.clear(),
  };
}

const MOST_SUBJECTS = 50_000;

interface LocalMeter {
  month: string;
  /** What all processes had charged when this one last looked it up. */
  usedByAll: number;
  /** What this one has charged since. */
  used: number;
  /** The level of this process's share of the bucket. */
  level: number;
  /** When `level` was read or changed, microseconds since 1970. */
  time: number;
  perMinute: number;
  /** The number of its last charge among those of all keys; 0 before the first. */
  lastCharge: number;
}

function gained({ time }: LocalMeter, at: number, perMinute: number): number {
  return Math.max(0, at - time) * perMinute;
}
