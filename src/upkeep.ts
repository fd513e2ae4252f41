/** A background task, which runs until it is stopped. */
export interface Upkeep {
  /** Whether its last attempt failed; it is retried. */
  isFailing(): boolean;
  stop(): Promise<void>;
}

/** What a process does in the background, by its names in the metric. */
export interface UpkeepTasks {
  /** Learns of changes of keys. */
  keys: Pick<Upkeep, "isFailing">;
  /** Learns of changes of the directory. */
  pages: Pick<Upkeep, "isFailing">;
  /** Writes to PostgreSQL what keys have used: each process what it has charged itself. */
  usage: Upkeep;
  /** Keeps the search index current: one process for all. */
  search?: Upkeep;
  /** Folds list totals: one process for all. */
  totals?: Upkeep;
}
