import { DeadlineError } from "../store/deadline.ts";
import type { LocalLimiter } from "./local.ts";
import { BATCH_SIZE, inParts, type KnownMeter, type Meters } from "./meters.ts";
import type { DurableUsage } from "./usage.ts";
import type { MeterMonth } from "./usage-rows.ts";

export type Recovery = ReturnType<typeof createRecovery>;

/**
 * Makes the refunds in Redis, and brings it up to date after an outage: with refunds that it has missed, and with
 * what was charged without it.
 * @param onFailure called when Redis fails to make a refund, which is then owed
 */
export function createRecovery(
  meters: Meters,
  local: LocalLimiter,
  usage: DurableUsage,
  onFailure: (error: unknown, meterId: string) => void,
) {
  /** Refunds that Redis is to be sent once it is back, oldest first. */
  const owed: Refund[] = [];
  /**
   * By month and meter, how many refunds Redis has yet to be sent: those owed, and those that PostgreSQL has to
   * write first. The usage that Redis is told of includes these requests, since it will subtract them.
   */
  const unsent = new Map<string, number>();
  /** The last local charge that Redis may have been told of, by number; infinite while it is being told. */
  let told = 0;
  /** The last local charge before the last round of telling, by number. */
  let lastRound = 0;

  const nameOf = ({ month, meterId }: MeterMonth) => `${month} ${meterId}`;
  const unsentOf = (meter: MeterMonth) => unsent.get(nameOf(meter)) ?? 0;

  function countUnsent(refund: Refund): void {
    unsent.set(nameOf(refund), unsentOf(refund) + 1);
  }

  /** @throws when Redis fails or takes too long */
  async function send(refund: Refund): Promise<void> {
    const others = unsentOf(refund) - 1;
    if (others > 0) unsent.set(nameOf(refund), others);
    else unsent.delete(nameOf(refund));
    try {
      await meters.refund(refund.meterId, refund.month);
    } catch (error) {
      // A Redis that is only slow has received the command and will still run it. If the refund were owed as
      // well, it would be made twice.
      if (!(error instanceof DeadlineError)) {
        countUnsent(refund);
        owed.push(refund);
      }
      throw error;
    }
  }

  // PostgreSQL first. A server that finds a higher count there than in Redis assumes that Redis has lost charges,
  // and restores them: a refund made in Redis alone would be undone.
  const sendOnceWritten = (refund: Refund) =>
    refund.written.then(() => send(refund)).catch((error) => onFailure(error, refund.meterId));

  /** Tells Redis what meters have used, ahead of everything that it is sent later. */
  const seed = (known: ToTell[], used: number[]) =>
    meters.seedNow(
      known.map((meter, index) => ({
        ...meter,
        used: used[index] ?? 0,
        tokensLeft: meter.tokensLeft && Math.max(0, meter.tokensLeft() - unsentOf(meter)),
      })),
    );

  /** Tells Redis of the usage of meters, and of the oldest refunds that are owed. */
  async function tell(known: ToTell[], refunds: Refund[] = []): Promise<void> {
    const sentFirst = Map.groupBy(refunds, nameOf);
    const used = await usage.totals(
      known,
      (meter) => unsentOf(meter) - (sentFirst.get(nameOf(meter))?.length ?? 0),
    );
    // Only now: if PostgreSQL is down, the line above throws, and all of them are still owed.
    owed.splice(0, refunds.length);
    // Refunds before seeds. If Redis has lost the charge, the refund makes its count too low, and the seed
    // raises it to that of PostgreSQL; the other way round it would stay too low.
    await Promise.all([...refunds.map(send), seed(known, used)]);
  }

  return {
    /** How many refunds of a meter Redis has yet to be sent. */
    unsentOf,
    /** Makes a refund now. Never throws. */
    async refund(refund: Refund): Promise<void> {
      countUnsent(refund);
      await sendOnceWritten(refund);
    },
    /**
     * Makes a refund once Redis is back. Nothing is owed for a local charge of which Redis has not been told.
     * @param charge the number of the local charge; 0 if Redis made the charge
     */
    owe(refund: Refund, charge = 0): void {
      if (charge > told) return;
      countUnsent(refund);
      owed.push(refund);
    },
    /** What has to be done before Redis decides again. @throws when Redis or PostgreSQL fails */
    async run(): Promise<void> {
      // Before `told` is changed: while PostgreSQL is down, this throws. Then Redis is told of nothing, and no refund
      // of a local charge may be owed.
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
          for (const part of inParts(refunds, BATCH_SIZE)) await tell(part, part);
          for (const part of inParts(charged, BATCH_SIZE)) await tell(part);
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
    /**
     * Tells Redis of what was charged here during the last round, and makes the refunds that are still owed. Call it
     * in the turn of the event loop in which Redis decides again: then it knows before it decides.
     */
    end(): void {
      told = local.charges();
      const rest = local.charged(lastRound);
      // If that fails, the next decision shows it, and later writes of usage find what Redis lacks.
      seed(
        rest,
        rest.map((meter) => meter.used + unsentOf(meter)),
      ).catch(() => {});
      for (const refund of owed.splice(0)) sendOnceWritten(refund);
    },
  };
}

/** A request that Redis has to refund. */
export interface Refund extends Pick<KnownMeter, "meterId" | "month" | "perMinute"> {
  /** Resolves once PostgreSQL has refunded it. */
  written: Promise<void>;
}

type ToTell = Omit<Refund, "written"> & { tokensLeft?: () => number };
