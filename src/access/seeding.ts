import { batched } from "../store/batches.ts";
import { withDeadline } from "../store/deadline.ts";
import { AdmissionUnavailable } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";
import type { LastSeen } from "./last-seen.ts";
import type { LocalLimiter } from "./local.ts";
import type { Meters } from "./meters.ts";
import type { Recovery } from "./recovery.ts";
import type { DurableUsage } from "./usage.ts";
import type { MeterMonth } from "./usage-rows.ts";

/**
 * Seeds meters that Redis, or this process, does not know yet, with the usage of the month in PostgreSQL and
 * the last known level of their buckets. Both throw AdmissionUnavailable when PostgreSQL cannot be read.
 */
export function createSeeding(
  meters: Meters,
  local: LocalLimiter,
  usage: DurableUsage,
  lastSeen: LastSeen,
  { unsentOf }: Pick<Recovery, "unsentOf">,
) {
  /** Concurrent look-ups share one query. */
  const lookUp = batched((asked: MeterMonth[]) => usage.totals(asked), {
    batchSize: LOOK_UP_BATCH_SIZE,
    concurrency: CONCURRENT_LOOK_UPS,
    deadlineOf: () => performance.now() + LONGEST_LOOK_UP_MS,
  });

  async function usedBefore(meter: MeterMonth): Promise<number> {
    try {
      return await withDeadline(lookUp(meter), LONGEST_LOOK_UP_MS);
    } catch (error) {
      throw new AdmissionUnavailable("the usage of a key cannot be read", { cause: error });
    }
  }

  return {
    inRedis: oncePerMeter(async (key, month) => {
      const { meterId, perMinute } = key;
      const known = await usedBefore({ meterId, month });
      const used = known + unsentOf({ meterId, month });
      await meters.seed({ meterId, month, used, perMinute, tokensLeft: lastSeen.tokensLeft(key) });
    }),
    locally: oncePerMeter(async (key, month) => {
      const used = await usedBefore({ meterId: key.meterId, month });
      local.seed(key, month, used, lastSeen.tokensLeft(key));
    }),
  };
}

const LOOK_UP_BATCH_SIZE = 1_000;
/** Each holds a connection; the others are kept for what known meters depend on. */
const CONCURRENT_LOOK_UPS = 1;
const LONGEST_LOOK_UP_MS = 2_000;

type Seed = (key: ApiKey, month: string) => Promise<void>;

/**
 * Shares one seeding of a meter among concurrent callers: a second one would lose what was charged in
 * between.
 */
function oncePerMeter(seed: Seed): Seed {
  const underWay = new Map<string, Promise<void>>();
  return (key, month) =>
    underWay.getOrInsertComputed(key.meterId, (meterId) =>
      seed(key, month).finally(() => underWay.delete(meterId)),
    );
}
