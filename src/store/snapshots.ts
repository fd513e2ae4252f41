/** What a statement of PostgreSQL sees: the transactions that were over when it began. */
export interface Snapshot {
  /** The first transaction that had not begun. */
  next: number;
  /** Those before it that were still in progress. */
  underWay: readonly number[];
}

/** Reads the text form of a pg_snapshot, `xmin:xmax:xip,xip,…` (PostgreSQL 18 manual, table 9.86). */
export function readSnapshot(text: string): Snapshot {
  const [, next = "", underWay = ""] = text.split(":");
  return {
    next: Number(next),
    underWay: underWay === "" ? [] : underWay.split(",").map(Number),
  };
}

/** Whether a snapshot sees what a committed transaction did. */
export function sees({ next, underWay }: Snapshot, transaction: number): boolean {
  return transaction < next && !underWay.includes(transaction);
}
