import { LRUCache } from "lru-cache";
import type { ApiKey } from "./keys.ts";
import type { MeterReading, Standing } from "./meters.ts";

/** How Redis last said that meters stand, for when it cannot say or says less. */
export interface LastSeen {
  remember(key: ApiKey, reading: MeterReading): void;
  standing(meterId: string): Standing | undefined;
  /** Whole requests in a bucket by now; undefined when nothing is known of it. */
  tokensLeft(key: ApiKey): number | undefined;
}

export function createLastSeen(): LastSeen {
  const standings = new LRUCache<string, Standing & { seenAtMs: number }>({ max: MOST_METERS });
  return {
    remember({ meterId, perMinute }, { month, used, tokensLeft }) {
      standings.set(meterId, {
        ...{ meterId, month, used, perMinute, tokensLeft },
        seenAtMs: performance.now(),
      });
    },
    standing: (meterId) => standings.peek(meterId),
    tokensLeft({ meterId, perMinute, burst }) {
      const seen = standings.get(meterId);
      if (seen?.tokensLeft === undefined) return undefined;
      const gained = ((performance.now() - seen.seenAtMs) * perMinute) / 60_000;
      return Math.min(burst, Math.floor(seen.tokensLeft + gained));
    },
  };
}

const MOST_METERS = 50_000;
