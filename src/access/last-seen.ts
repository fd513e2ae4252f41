import { LRUCache } from "lru-cache";
import type { MeterReading } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";

export type LastSeen = ReturnType<typeof createLastSeen>;

/** The last readings of meters in Redis, for when it is down or comes back with older data. */
export function createLastSeen() {
  const sightings = new LRUCache<string, Sighting>({ max: MOST_METERS });
  return {
    remember(key: ApiKey, { used, tokensLeft }: MeterReading) {
      const seen = sightings.get(key.meterId);
      const atMs = performance.now();
      if (!seen) {
        sightings.set(key.meterId, { key, used, tokensLeft, atMs });
        return;
      }
      // Updated in place: objects that outlive a request cost the garbage collector most.
      seen.key = key;
      seen.used = used;
      seen.tokensLeft = tokensLeft;
      seen.atMs = atMs;
    },
    sighting: (meterId: string) => sightings.peek(meterId),
    /** An upper bound of the whole requests in a bucket by now, refilled but not capped; undefined when unknown. */
    tokensLeft({ meterId, perMinute }: ApiKey) {
      const seen = sightings.get(meterId);
      if (!seen) return undefined;
      const gained = ((performance.now() - seen.atMs) * perMinute) / 60_000;
      return Math.floor(seen.tokensLeft + gained);
    },
  };
}

interface Sighting {
  key: ApiKey;
  used: number;
  tokensLeft: number;
  atMs: number;
}

const MOST_METERS = 50_000;
