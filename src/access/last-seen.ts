import { LRUCache } from "lru-cache";
import type { ApiKey } from "./keys.ts";
import type { MeterReading } from "./meters.ts";

/** How Redis last said that meters stand, for when it cannot say or says less. */
export interface LastSeen {
  remember(key: ApiKey, reading: MeterReading): void;
  standing(meterId: string): { reading: MeterReading; perMinute: number } | undefined;
  /** Whole requests in a bucket by now; undefined when nothing is known of it. */
  tokensLeft(key: ApiKey): number | undefined;
}

export function createLastSeen(): LastSeen {
  const sightings = new LRUCache<string, Sighting>({ max: MOST_METERS });
  return {
    remember({ meterId, perMinute }, reading) {
      sightings.set(meterId, { perMinute, reading, atMs: performance.now() });
    },
    standing: (meterId) => sightings.peek(meterId),
    tokensLeft({ meterId, perMinute, burst }) {
      const seen = sightings.get(meterId);
      if (!seen) return undefined;
      const gained = ((performance.now() - seen.atMs) * perMinute) / 60_000;
      return Math.min(burst, Math.floor(seen.reading.tokensLeft + gained));
    },
  };
}

interface Sighting {
  /** By which the bucket refilled. */
  perMinute: number;
  reading: MeterReading;
  atMs: number;
}

const MOST_METERS = 50_000;
