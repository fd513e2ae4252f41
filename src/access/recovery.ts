import { DeadlineError } from "../store/deadline.ts";
import type { LocalLimiter } from "./local.ts";
import type { KnownMeter, Meters } from "./meters.ts";
import type { DurableUsage } from "./usage.ts";

/** Tells Redis what it has not heard of: what it has to give back, and what was charged without it. */
export function createRecovery({
  meters,
  local,
  usage,
}: {
  meters: Meters;
  local: LocalLimiter;
  usage: DurableUsage;
}) {
  /** What Redis has charged and has yet to give back. */
  const owed: Refund[] = [];

  /** Has Redis give it back now. @throws when Redis fails or takes too long */
  async function refund(charge: Refund): Promise<void> {
    try {
      await meters.refund(charge.meterId, charge.month);
    } catch (error) {
      // A Redis that is only slow has the command and still carries it out when it goes on. If that were owed
      // as well, the request would be given back twice.
      if (!(error instanceof DeadlineError)) owed.push(charge);
      throw error;
    }
  }

  return {
    refund,
    /** Has Redis give it back once it is back. */
    owe(charge: Refund): void {
      owed.push(charge);
    },
    /** What has to be done before Redis decides again. @throws when Redis or PostgreSQL fails */
    async run(): Promise<void> {
      do {
        const refunds = [...owed];
        const known = [...refunds, ...local.charged()];
        const used = await usage.totals(known);
        // Not sooner: when PostgreSQL is away, all of it is still owed.
        owed.splice(0, refunds.length);
        // Refunds before seeds. If Redis has forgotten the charge, the refund leaves it too low, and the seed
        // raises it to what PostgreSQL counts; the other way round it would stay too low.
        await Promise.all(refunds.map(refund));
        await Promise.all(
          known.map((meter, index) => meters.seed({ ...meter, used: used[index] ?? 0 })),
        );
        // Meanwhile more may have been given back.
      } while (owed.length > 0);
    },
  };
}

/** A request that Redis has charged and is to give back. */
type Refund = Pick<KnownMeter, "meterId" | "month" | "perMinute">;
