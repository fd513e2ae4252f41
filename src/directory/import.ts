import { setImmediate as otherWork } from "node:timers/promises";
import type { Sql } from "../store/postgres.ts";
import { compactListings } from "./compaction.ts";
import {
  type Feed,
  type ImportCounts,
  type ImportOptions,
  noCounts,
  openFeed,
} from "./import/feed.ts";
import type { Prepared, Rejected } from "./import/prepare.ts";
import { charactersOf, expectManyRows, MANY_CHARACTERS } from "./import/rows.ts";
import { inTransaction } from "./import/transaction.ts";

/**
 * Imports a feed in one transaction: all of it is kept, or nothing when it throws. Idempotent by (source,
 * sourceId). Of several records with one sourceId the first counts, and later ones that differ are rejected;
 * so is whatever is not an ImportRecord. One import at a time; others wait.
 *
 * What a record says replaces what was known, except the status: an operator's decision stands. Only an
 * approved business that now lacks something becomes pending, until a record completes it.
 */
export async function importRecords(
  sql: Sql,
  records: AsyncIterable<object> | Iterable<object>,
  options: ImportOptions,
): Promise<ImportCounts> {
  const counts = noCounts();
  await inTransaction(sql, options, async (transaction) => {
    await expectManyRows(transaction);
    const feed = await openFeed(transaction, options, counts);
    await inBatches(records, feed);
    await feed.tellDropped();
    if (!options.dryRun) options.onCommit?.();
  });
  if (options.dryRun) return counts;
  // If this fails, it must not look as if the import had failed.
  const changed = counts.created + counts.updated;
  await settleDirectory(sql, changed).catch((error) => options.onUnsettled?.(error));
  return counts;
}

// Records in a batch, of which two are in memory at a time, and fewer if they have many characters. Smaller
// batches would take longer in all: each statement visits most pages of the lists, however few rows it has.
const BATCH_SIZE = 10_000;
/**
 * Records to read, in some milliseconds, before yielding to the event loop. Only then are rows sent to
 * PostgreSQL and its answers read: otherwise it would soon be idle.
 */
const RECORDS_TO_A_TURN = 100;

/** The next batch is read while the database is busy with the one before. */
async function inBatches(
  records: AsyncIterable<object> | Iterable<object>,
  feed: Feed,
): Promise<void> {
  let batch: (Prepared | Rejected)[] = [];
  let characters = 0;
  let taking = Promise.resolve();
  const hand = async () => {
    await taking;
    taking = feed.take(batch);
    // Its failure is thrown by the next await; until then it must not count as unhandled.
    taking.catch(() => {});
    batch = [];
    characters = 0;
  };
  try {
    for await (const record of records) {
      const given = feed.prepare(record);
      const count = batch.push(given);
      if ("fields" in given) characters += charactersOf(given.fields);
      if (count % RECORDS_TO_A_TURN === 0) await otherWork();
      if (count === BATCH_SIZE || characters >= MANY_CHARACTERS) await hand();
    }
    if (batch.length > 0) await hand();
  } finally {
    await taking;
  }
}

/** After fewer changes than this, statistics and the visibility map are left to autovacuum. */
const FEW = 1_000;

/**
 * After a bulk load: folds the list totals. After many changes, also updates the statistics by which
 * PostgreSQL plans how to find businesses, and the visibility map, without which index-only scans of lists
 * and totals read the tables as well. The rest is left to autovacuum, which keeps nobody waiting.
 */
export async function settleDirectory(sql: Sql, changed: number): Promise<void> {
  if (changed === 0) return;
  if (changed < FEW) return compactListings(sql);
  await Promise.all([
    settleListings(sql),
    sql`analyze businesses (id, slug, source, source_id, status, category_id, city_id), cities`,
  ]);
}

async function settleListings(sql: Sql): Promise<void> {
  // First, since folding walks through the index of the listings to find where to split chunks, which is
  // quicker when the visibility map saves it from reading the table.
  await sql`vacuum (analyze) listings`;
  await compactListings(sql);
  await sql`vacuum (analyze) listing_counts`;
}
