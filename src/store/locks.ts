import type { Transaction } from "./postgres.ts";

/**
 * The advisory locks of a database, each for a kind of work that only one process may do at a
 * time. 20_260_002 is chunk_borders_lock() of sql/002_listings.sql.
 */
export const MIGRATION_LOCK = 20_260_001;
/** Taken by the compaction in sql/, which does nothing while somebody else has it. */
export const COMPACTION_LOCK = 20_260_003;
export const SEARCH_SYNC_LOCK = 20_260_004;
export const IMPORT_LOCK = 20_260_005;

/**
 * Takes IMPORT_LOCK until the transaction ends, however long others have it.
 * @param onWait called when somebody else has it
 */
export async function takeImportLock(transaction: Transaction, onWait?: () => void): Promise<void> {
  const [{ taken }] = await transaction<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(${IMPORT_LOCK}) as taken`;
  if (taken) return;
  onWait?.();
  await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
}
