import { batched } from "../store/batches.ts";
import type { ApiKey } from "./keys.ts";
import type { LastSeen } from "./last-seen.ts";
import { BATCH_SIZE, type Meters } from "./meters.ts";
import type { DurableUsage } from "./usage.ts";
import type { MeterTotal } from "./usage-rows.ts";

/**
 * For a Redis that came back with older data: restored from an old file, or promoted from a replica. Raises each
 * meter in it that counts less than PostgreSQL to PostgreSQL's total.
 *
 * No meter counts less otherwise, except during an outage of Redis: charges reach Redis before PostgreSQL, and
 * refunds after. Meters are raised only while no refund can be written to PostgreSQL. Such a refund could reach Redis
 * before the meter is raised, which would undo it.
 * @param isOutage whether Redis is down or slow. Then it is told of no charges here, since it would not be told of
 *   their refunds either
 * @returns to be called with the totals that PostgreSQL has just written. When a store fails, it does nothing: the
 *   next write of the same meters finds them again
 */
export function createCatchUp(
  meters: Meters,
  usage: DurableUsage,
  lastSeen: LastSeen,
  isOutage: () => boolean,
) {
  const compare = batched(raiseThoseBehind, { batchSize: BATCH_SIZE, concurrency: 1 });

  async function raiseThoseBehind(written: Written[]): Promise<undefined[]> {
    const readings = await Promise.all(written.map(({ key }) => meters.charge(key, 0)));
    const behind = written.filter(({ month, used }, index) => {
      const reading = readings[index];
      return reading?.admitted && reading.month === month && reading.used < used;
    });
    if (behind.length > 0) {
      await usage.hold(behind, async (totals) => {
        if (isOutage()) return;
        await Promise.all(
          behind.map(({ meterId, month, key: { perMinute } }, index) =>
            meters.seed({ meterId, month, perMinute, used: totals[index] ?? 0 }),
          ),
        );
      });
    }
    return [];
  }

  return (month: string, totals: readonly MeterTotal[]): void => {
    for (const { meterId, used } of totals) {
      const seen = lastSeen.sighting(meterId);
      if (!seen || seen.used >= used) continue;
      // Mostly other servers have charged it since, or the month is over.
      compare({ meterId, month, used, key: seen.key }).catch(() => {});
    }
  };
}

interface Written extends MeterTotal {
  month: string;
  key: ApiKey;
}
