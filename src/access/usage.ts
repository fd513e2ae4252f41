import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";
import { repeat } from "../store/repeat.ts";
import type { Upkeep } from "../store/upkeep.ts";
import {
  addUsage,
  findTotals,
  forgetOldWriters,
  lockTotals,
  type MeterMonth,
  type MeterTotal,
  type UsageBatch,
} from "./usage-rows.ts";

export type DurableUsage = ReturnType<typeof openUsage>;

/**
 * Requests charged, as recorded in PostgreSQL. Accumulates charges; a flush writes each month in one statement,
 * however many keys there are.
 */
export function openUsage(sql: Sql) {
  const writer = crypto.randomUUID();
  /** The number of the last batch. */
  let number = 0;
  /**
   * What PostgreSQL has not confirmed, oldest first. A batch is retried unchanged, with its number: if only
   * the answer was lost, PostgreSQL has it already and skips it.
   */
  const batches: UsageBatch[] = [];
  /** By month, then by meter. */
  let pending = new Map<string, Map<string, number>>();
  /**
   * The last write, and the reads that the next write has to wait for. All run one after the other, so awaiting it
   * awaits them all.
   */
  let writing: Promise<void> = Promise.resolve();
  /** The write that has yet to begin, shared by all flushes until then. */
  let next: Promise<void> | undefined;
  let listener: (month: string, totals: readonly MeterTotal[]) => void = () => {};
  /** By month and meter, the refunds whose callers wait for a batch to take them up. */
  let awaited = new Map<string, number>();

  /** Counts requests charged (or, if negative, refunded) in a month such as `2026-11`. */
  function count(meterId: string, month: string, requests: number) {
    let counted = pending.get(month);
    if (!counted) {
      counted = new Map();
      pending.set(month, counted);
    }
    counted.set(meterId, (counted.get(meterId) ?? 0) + requests);
  }

  /** What has been counted since the last write began; negative when there were more refunds. */
  const unwritten = (meterId: string, month: string) => pending.get(month)?.get(meterId) ?? 0;

  async function write() {
    await writeBatches();
    for (const [month, counted] of pending) {
      const charges = Array.from(counted, ([meterId, used]) => ({ meterId, used }));
      const changes = charges.filter(({ used }) => used !== 0);
      if (changes.length > 0) batches.push({ number: ++number, month, charges: changes });
    }
    pending = new Map();
    awaited = new Map();
    await writeBatches();
  }

  async function writeBatches() {
    for (let batch = batches[0]; batch; batch = batches[0]) {
      if (batch.number === 1) await forgetOldWriters(sql);
      const totals = await addUsage(sql, writer, batch);
      batches.shift();
      listener(batch.month, totals);
    }
  }

  /**
   * Counts a refund, and resolves once PostgreSQL no longer counts the request: at once if it never has.
   * Never throws.
   */
  async function refund(meterId: string, month: string) {
    count(meterId, month, -1);
    const name = `${month} ${meterId}`;
    const others = awaited.get(name) ?? 0;
    // PostgreSQL does not have the charge yet: charge and refund cancel out before they are written, and
    // there is nothing to wait for.
    if (unwritten(meterId, month) + others >= 0) return;
    awaited.set(name, others + 1);
    while (true) {
      try {
        return await flush();
      } catch {
        // A later flush writes it.
        await Bun.sleep(FLUSH_INTERVAL_MS);
      }
    }
  }

  /** Writes what has been counted. @throws when PostgreSQL is down; nothing is lost then */
  function flush(): Promise<void> {
    if (!next) {
      next = writing.then(() => {
        next = undefined;
        return write();
      });
      writing = next.catch(() => {});
    }
    return next;
  }

  return {
    count,
    refund,
    flush,
    unwritten,
    /**
     * What each meter has used in a month, including everything counted here until then.
     * @param besides what to add to it, as of the same moment
     */
    totals(
      meters: readonly MeterMonth[],
      besides: (meter: MeterMonth) => number = () => 0,
    ): Promise<number[]> {
      const read = flush().then(async () => {
        const written = await findTotals(sql, meters);
        return meters.map((meter, index) => {
          const counted = unwritten(meter.meterId, meter.month);
          return Math.max(0, (written[index] ?? 0) + counted) + besides(meter);
        });
      });
      // The next write waits for this read. Otherwise it could take up charges that would be missing from both: no
      // longer unwritten, and not yet in PostgreSQL when that was read.
      writing = Promise.allSettled([writing, read]).then(() => {});
      return read;
    },
    /** Does some work with what meters have used, which no server can change meanwhile. */
    async hold(
      meters: readonly MeterMonth[],
      work: (totals: number[]) => Promise<unknown>,
    ): Promise<void> {
      await sql.begin(async (transaction) => {
        // If this process vanishes, others must not wait for its locks.
        await transaction`
          select set_config('idle_in_transaction_session_timeout', ${String(LONGEST_HOLD_MS)}, true)`;
        await lockTotals(transaction, meters);
        await work(await findTotals(transaction, meters));
      });
    },
    /**
     * Sets the one listener, called after each write with the totals of the written meters across all servers.
     */
    onWritten(given: typeof listener) {
      listener = given;
    },
  };
}

/** Flushes about once a second, and once more when stopped. */
export function flushRegularly(usage: DurableUsage, log: Logger): Upkeep {
  let isFailing = false;
  const stopFlushing = repeat(FLUSH_INTERVAL_MS, async () => {
    try {
      await usage.flush();
      if (isFailing) log.info("usage is written to PostgreSQL again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ err: error }, "usage cannot be written to PostgreSQL");
      isFailing = true;
    }
  });
  return {
    isFailing: () => isFailing,
    async stop() {
      await stopFlushing();
      await usage.flush();
    },
  };
}

// Less than a second, so that there is time for the write.
const FLUSH_INTERVAL_MS = 800;
/** Of work while usage is held. */
const LONGEST_HOLD_MS = 1_000;
