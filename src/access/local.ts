import { LRUCache } from "lru-cache";
import type { ApiKey } from "./keys.ts";
import type { Decision, MeterReading, Outcome } from "./meters.ts";
import { OPEN_LIMIT, OPEN_WINDOW_MICROSECONDS } from "./meters.ts";
import { monthOf } from "./months.ts";

/**
 * The rules of the scripts in this process, for while Redis is away: a sliding window for clients,
 * bucket and quota for keys. Each server lets through its share, the limit divided by the number of
 * servers, at least 1.
 */
export interface LocalLimiter {
  /** @returns 0 when let in, or microseconds until there is room */
  admitClient(client: string): number;
  /** Charges `cost` requests, 0 only looks. @returns null when the meter has to be begun first */
  charge(key: ApiKey, cost: 0 | 1): Decision | null;
  /**
   * Begins a meter, or goes on with it after its share of the quota is used up.
   * @param used what all servers have charged in this month, as far as known
   * @param tokensLeft in the bucket of all servers, when known
   */
  begin(key: ApiKey, used: number, tokensLeft?: number): void;
  refund(meterId: string, month: string): void;
  /** The meters that have been charged here, and what is left in their buckets. */
  charged(): { meterId: string; month: string; perMinute: number; tokensLeft: number }[];
  /** The calendar month in UTC, such as `2026-11`. */
  month(): string;
  /** Forgets everything: Redis decides again. */
  clear(): void;
}

/** @param now microseconds since 1970 */
export function createLocalLimiter({
  instances,
  now = () => Date.now() * 1000,
}: {
  instances: number;
  now?: (() => number) | undefined;
}): LocalLimiter {
  const windows = new LRUCache<string, number[]>({ max: MOST_SUBJECTS });
  const meters = new LRUCache<string, LocalMeter>({ max: MOST_SUBJECTS });
  const share = (limit: number) => Math.max(1, Math.floor(limit / instances));
  const month = () => new Date(now() / 1000).toISOString().slice(0, 7);

  /** The meter as of now: refilled, and in the current month. */
  function current(key: ApiKey): LocalMeter | undefined {
    const meter = meters.get(key.meterId);
    if (!meter) return undefined;
    const at = now();
    const gained = (Math.max(0, at - meter.time) * key.perMinute) / instances / MINUTE;
    meter.tokens = Math.min(share(key.burst), meter.tokens + gained);
    meter.time = at;
    meter.perMinute = key.perMinute;
    // A later month than the clock's means that the clock stepped back: it goes on counting.
    if (month() > meter.month) Object.assign(meter, { month: month(), usedByAll: 0, used: 0 });
    return meter;
  }

  return {
    admitClient(client) {
      const at = now();
      const limit = share(OPEN_LIMIT);
      const known = windows.get(client) ?? [];
      // The clock stepped back: all move along, their spaces kept, as if the newest were of now.
      const ahead = Math.max(0, (known.at(-1) ?? at) - at);
      const times = known
        .map((time) => time - ahead)
        .filter((time) => at - time < OPEN_WINDOW_MICROSECONDS);
      windows.set(client, times);
      if (times.length >= limit) return (times[0] as number) + OPEN_WINDOW_MICROSECONDS - at;
      times.push(at);
      return 0;
    },
    charge(key, cost) {
      const meter = current(key);
      if (!meter) return null;
      const left = key.quota - meter.usedByAll;
      const isUsedUp = left <= 0;
      // What the others leave of the quota may be more than a share: ask again what all have used.
      if (cost > 0 && !isUsedUp && meter.used >= share(left)) return null;

      let outcome: Outcome = "admitted";
      if (cost > 0 && isUsedUp) outcome = "quota_exceeded";
      else if (meter.tokens < cost) outcome = "rate_limited";
      else {
        meter.tokens -= cost;
        meter.used += cost;
      }
      const reading = readingOf(meter, key, instances);
      const retryAfterSeconds = {
        admitted: 0,
        rate_limited: reading.nextTokenInSeconds,
        quota_exceeded: reading.monthEndsInSeconds,
      }[outcome];
      return { outcome, retryAfterSeconds, reading };
    },
    begin(key, used, tokensLeft = key.burst) {
      const known = current(key);
      meters.set(key.meterId, {
        month: month(),
        usedByAll: used,
        used: 0,
        tokens: known?.tokens ?? Math.min(share(key.burst), tokensLeft / instances),
        time: now(),
        perMinute: key.perMinute,
      });
    },
    refund(meterId, chargedMonth) {
      const meter = meters.get(meterId);
      if (meter?.month !== chargedMonth) return;
      if (meter.used > 0) meter.used -= 1;
      meter.tokens += 1;
    },
    charged: () =>
      Array.from(meters, ([meterId, { month, perMinute, tokens }]) => {
        return { meterId, month, perMinute, tokensLeft: Math.floor(tokens * instances) };
      }),
    month,
    clear() {
      windows.clear();
      meters.clear();
    },
  };
}

const MOST_SUBJECTS = 50_000;
const MINUTE = 60_000_000;

interface LocalMeter {
  month: string;
  /** What all servers had charged when this one last asked. */
  usedByAll: number;
  /** What this one has charged since. */
  used: number;
  /** Requests left in this server's share of the bucket. */
  tokens: number;
  time: number;
  perMinute: number;
}

function readingOf(meter: LocalMeter, { perMinute }: ApiKey, instances: number): MeterReading {
  const { month, usedByAll, used, tokens, time } = meter;
  const missing = 1 - (tokens % 1);
  return {
    month,
    used: usedByAll + used,
    monthEndsInSeconds: Math.ceil(monthOf(month).endsAt / 1000 - time / 1_000_000),
    tokensLeft: Math.floor(tokens),
    nextTokenInSeconds: Math.max(1, Math.ceil((missing * 60 * instances) / perMinute)),
  };
}
