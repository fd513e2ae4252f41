import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";

/** Milliseconds between two looks for fresh changes. Reads are exact before, only slower. */
const INTERVAL_MS = 2_000;

/**
 * Folds the changes of list totals together while the server runs (see sql/002_listings.sql).
 * Any number of servers may do so at once: the database lets one at a time.
 */
export function startCompaction(sql: Sql, log: Logger): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = compact(sql).catch((error) => log.warn({ err: error }, "could not fold list totals"));
  }, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function compact(sql: Sql): Promise<void> {
  await sql`
    select compact_listing_counts()
    where exists (select from listing_counts where not is_folded)`;
}
