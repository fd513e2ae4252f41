import { DeadlineError } from "../store/deadline.ts";
import type { LocalLimiter } from "./local.ts";
import type { KnownMeter, Meters } from "./meters.ts";
import type { DurableUsage } from "./usage.ts";

/** Brings Redis up to date: with refunds that it has missed, and with what was charged without it. */
export function createRecovery(meters: Meters, local: LocalLimiter, usage: DurableUsage) {
  /** What Redis has charged and has yet to refund. */
  const owed: Refund[] = [];

  /** Refunds it in Redis now. @throws when Redis fails or takes too long */
  async function refund(charge: Refund): Promise<void> {
    try {
      await meters.refund(charge.meterId, charge.month);
    } catch (error) {
      // A Redis that is only slow has received the command and will still run it. If the refund were owed as
      // well, it would be made twice.
      if (!(error instanceof DeadlineError)) owed.push(charge);
      throw error;
    }
  }

  return {
    refund,
    /** Refunds it once Redis is back. */
    owe(charge: Refund): void {
      owed.push(charge);
    },
    /** What has to be done before Redis decides again. @throws when Redis or PostgreSQL fails */
    async run(): Promise<void> {
      do {
        const refunds = [...owed];
        const known = [...refunds, ...local.charged()];
        const used = await usage.totals(known);
        // Not sooner: if PostgreSQL is down, all of it is still owed.
        owed.splice(0, refunds.length);
        // Refunds before seeds. If Redis has lost the charge, the refund makes its count too low, and the
        // seed raises it to that of PostgreSQL; the other way round it would stay too low.
        await Promise.all(refunds.map(refund));
        await Promise.all(
          known.map((meter, index) => meters.seed({ ...meter, used: used[index] ?? 0 })),
        );
        // Meanwhile more refunds may have become due.
      } while (owed.length > 0);
    },
  };
}

/** A request that Redis has charged and has to refund. */
type Refund = Pick<KnownMeter, "meterId" | "month" | "perMinute">;
