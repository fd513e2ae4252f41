import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";

/** Milliseconds between two looks for fresh changes. Reads are exact before, only slower. */
const INTERVAL_MS = 2_000;
/** Milliseconds between two steps of a large change, in which writers have their turn. */
const STEP_MS = 50;
/** Listings to a step: writers wait for one for some tenths of a second. */
const STEP_KEYS = 50_000;
/** The same after a bulk load. A step looks through all chunks first, which takes its time as well. */
const BULK_STEP_KEYS = 250_000;

/**
 * Folds the changes of list totals together while the server runs (see sql/002_listings.sql).
 * Any number of servers may do so at once: the database lets one at a time. Failures are logged
 * when they begin and when they end.
 */
export function startCompaction(sql: Sql, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let hasFailed = false;
    // Whatever an earlier server left behind comes first.
    let isUnfinished = true;
    while (!signal.aborted) {
      try {
        isUnfinished = await compact(sql, isUnfinished, STEP_KEYS);
        if (hasFailed) log.info("list totals are folded again");
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, "cannot fold list totals; trying again and again");
        hasFailed = true;
      }
      await sleep(isUnfinished ? STEP_MS : INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** @returns whether a chunk is still to be split, because writers were at work */
async function compact(sql: Sql, isUnfinished: boolean, maxKeys: number): Promise<boolean> {
  const [row] = await sql<[{ isUnfinished: boolean }?]>`
    select compact_listing_counts(max_keys => ${maxKeys}) as "isUnfinished"
    where ${isUnfinished} or exists (select from listing_counts where not is_folded)`;
  return row?.isUnfinished ?? false;
}

/** Folds all there is to fold, in steps, as a server would do bit by bit. */
export async function compactListings(sql: Sql): Promise<void> {
  while (await compact(sql, true, BULK_STEP_KEYS)) await sleep(STEP_MS);
}
