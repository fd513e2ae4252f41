import { takeImportLock } from "../../store/locks.ts";
import { liftTimeLimits, type Sql, type Transaction } from "../../store/postgres.ts";

export interface TransactionOptions {
  /** Called when another import is under way, which this one waits for. */
  onWait?: (() => void) | undefined;
  /** Does everything, then rolls it back. */
  dryRun?: boolean | undefined;
}

/** Runs an import in one transaction, however long it takes. One at a time: others wait. */
export async function inTransaction(
  sql: Sql,
  { onWait, dryRun }: TransactionOptions,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const undone = new Error("a dry run");
  try {
    await sql.begin(async (transaction) => {
      await liftTimeLimits(transaction);
      await takeImportLock(transaction, onWait);
      await work(transaction);
      if (dryRun) throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
}
