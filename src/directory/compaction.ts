import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";
import type { Upkeep } from "../store/upkeep.ts";

/**
 * Folds the changes of list totals together while the server runs (see sql/002_listings.sql), and
 * now and then splits the chunks that have grown too large. Any number of servers may do so at once:
 * the database lets one at a time. Failures are logged when they begin and when they end.
 * @param options.intervalMs between checks for new changes; shorter in tests
 */
export function startCompaction(sql: Sql, log: Logger, { intervalMs = INTERVAL_MS } = {}): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failing: "folding" | "splitting" | null = null;
  const running = run();
  return {
    isFailing: () => failing !== null,
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    /** Whether there may be chunks to split; at first, those that an earlier server left behind. */
    let mayNeedSplit = true;
    let nextSplitAt = 0;
    while (!signal.aborted) {
      const isSplitting = mayNeedSplit && performance.now() >= nextSplitAt;
      let pauseMs = intervalMs;
      try {
        const step: Step = await (isSplitting ? compact(sql, STEP_KEYS) : fold(sql));
        const { isUnfinished, hasWritten } = step;
        // A step that has written nothing was blocked, perhaps by an import. Until that ends, further steps
        // would be blocked as well.
        const wasBlocked = isUnfinished && !hasWritten;
        if (isSplitting) {
          mayNeedSplit = isUnfinished;
          if (isUnfinished && hasWritten) pauseMs = STEP_MS;
          if (!isUnfinished) nextSplitAt = performance.now() + SPLIT_INTERVAL_MS;
        } else if (isUnfinished) {
          mayNeedSplit = true;
        }
        // After a failed split, only another split shows that it works again. A step that was blocked shows nothing:
        // what blocks it may be an attempt of this process that was given up, and still waits in PostgreSQL.
        if (failing && !wasBlocked && (failing === "folding" || isSplitting)) {
          log.info("list totals are folded again");
          failing = null;
        }
      } catch (error) {
        if (!failing) log.warn({ err: error }, "cannot fold list totals; will keep retrying");
        if (failing !== "splitting") failing = isSplitting ? "splitting" : "folding";
        // It may have been folded all the same, if only the answer was lost.
        mayNeedSplit = true;
        // What cannot be split now must not keep the rest from being folded.
        nextSplitAt = performance.now() + SPLIT_INTERVAL_MS;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Until folded, changes only make reads slower. */
const INTERVAL_MS = 2_000;
/** Milliseconds between checks for chunks to split. Each scans all chunks, which grow slowly. */
const SPLIT_INTERVAL_MS = 20_000;
/** Milliseconds between steps of a large change, so that writers get their turn. */
const STEP_MS = 50;
/** The most listings that a step splits. Writers wait for it, which takes some tenths of a second. */
const STEP_KEYS = 50_000;

interface Step {
  /** Whether a chunk may be left to split: writers were at work, there is too much, or changes were only folded. */
  isUnfinished: boolean;
  /** Whether anything was folded or split. */
  hasWritten: boolean;
}

// Only a transaction that has written has an id. The columns are evaluated in their order, so the work comes first.

async function fold(sql: Sql): Promise<Step> {
  const [step] = await sql<{ hasWritten: boolean }[]>`
    select fold_listing_counts(), pg_current_xact_id_if_assigned() is not null as "hasWritten"
    where exists (select from listing_counts where not is_folded)`;
  return { isUnfinished: step !== undefined, hasWritten: step?.hasWritten === true };
}

async function compact(sql: Sql, maxKeys: number): Promise<Step> {
  const [step] = await sql<[Step]>`
    select compact_listing_counts(max_keys => ${maxKeys}) as "isUnfinished",
      pg_current_xact_id_if_assigned() is not null as "hasWritten"`;
  return step;
}

/**
 * Folds everything in steps, as a server would over time. If others block it for long, such as an import that
 * began meanwhile, the rest is left to the server.
 */
export async function compactListings(sql: Sql): Promise<void> {
  let idle = 0;
  while (idle < MOST_IDLE_STEPS) {
    const { isUnfinished, hasWritten } = await compact(sql, BULK_STEP_KEYS);
    if (!isUnfinished) return;
    idle = hasWritten ? 0 : idle + 1;
    await sleep(STEP_MS);
  }
}

/** Steps in a row that others blocked: together some seconds. */
const MOST_IDLE_STEPS = 100;
/**
 * Listings per step after a bulk load: more of them, since each step scans all chunks first, which takes time
 * as well.
 */
const BULK_STEP_KEYS = 3_000_000;
