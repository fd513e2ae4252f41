import { DeadlineError } from "../store/deadline.ts";
import type { LocalLimiter } from "./local.ts";
import { BATCH_SIZE, type KnownMeter, type Meters } from "./meters.ts";
import type { DurableUsage } from "./usage.ts";

/** Brings Redis up to date: with refunds that it has missed, and with what was charged without it. */
export function createRecovery(meters: Meters, local: LocalLimiter, usage: DurableUsage) {
  /** What Redis has charged, or has been told of, and has yet to refund. */
  const owed: Refund[] = [];
  /** Redis may have been told of the local charges up to this one; while it is told, of any. */
  let told = 0;
  /** The last local charge before the last round of telling. */
  let lastRound = 0;

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

  /** Tells Redis of the usage of meters, and of the oldest refunds that are owed. */
  async function tell(known: ToTell[], refunds: Refund[] = []): Promise<void> {
    const used = await usage.totals(known);
    // Not sooner: if PostgreSQL is down, all of it is still owed.
    owed.splice(0, refunds.length);
    // Refunds before seeds. If Redis has lost the charge, the refund makes its count too low, and the seed
    // raises it to that of PostgreSQL; the other way round it would stay too low.
    await Promise.all(refunds.map(refund));
    await Promise.all(
      known.map((meter, index) =>
        meters.seed({ ...meter, used: used[index] ?? 0, tokensLeft: meter.tokensLeft?.() }),
      ),
    );
  }

  return {
    refund,
    /**
     * Refunds it once Redis is back, unless it is a local charge that this process has not told Redis of.
     * @param charge its number, if it was charged locally
     */
    owe(refund: Refund, charge = 0): void {
      if (charge <= told) owed.push(refund);
    },
    /** What has to be done before Redis decides again. @throws when Redis or PostgreSQL fails */
    async run(): Promise<void> {
      // While PostgreSQL is down, Redis can be told of nothing, and no refunds of local charges are owed.
      await usage.flush();
      told = Number.POSITIVE_INFINITY;
      let after = 0;
      let before = Number.POSITIVE_INFINITY;
      try {
        for (;;) {
          const charges = local.charges();
          lastRound = charges;
          const refunds = [...owed];
          const charged = local.charged(after);
          // One call after the other: if all were sent at once, tens of thousands of meters would take Redis
          // longer than the deadline of each call, and the requests of other servers would wait as long.
          for (const part of inParts(refunds)) await tell(part, part);
          for (const part of inParts(charged)) await tell(part);
          const count = refunds.length + charged.length;
          // What was charged meanwhile comes next, until that is no more than one call or, since under load
          // there is always something, hardly less than what came before.
          if (count <= BATCH_SIZE || count > before * 0.8) return;
          after = charges;
          before = count;
        }
      } finally {
        told = local.charges();
      }
    },
    /** Call it once Redis decides again. @returns the refunds that are still owed */
    end(): Refund[] {
      told = local.charges();
      return owed.splice(0);
    },
    /**
     * Tells Redis of what was charged here during the last round. Call it in the turn of the event loop in which
     * Redis decides again: then it knows before it decides.
     */
    tellRest: () =>
      Promise.all(
        local
          .charged(lastRound)
          .map((meter) => meters.seed({ ...meter, tokensLeft: meter.tokensLeft() })),
      ),
  };
}

/** A request that Redis has to refund. */
export interface Refund extends Pick<KnownMeter, "meterId" | "month" | "perMinute"> {
  /** Resolves once PostgreSQL has refunded it. */
  written: Promise<void>;
}

type ToTell = Omit<Refund, "written"> & { tokensLeft?: () => number };

const inParts = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, part) =>
    items.slice(part * BATCH_SIZE, (part + 1) * BATCH_SIZE),
  );
