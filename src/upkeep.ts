/** A background task, which runs until it is stopped. */
export interface Upkeep {
  /** Whether its last attempt failed; it is retried. */
  isFailing(): boolean;
  stop(): Promise<void>;
}

/** The background tasks of a process, by their names in the metric. */
export interface UpkeepTasks {
  /** Writes to PostgreSQL what keys have used: each process what it has charged itself. */
  usage: Upkeep;
  /** Keeps the search index current: one process for all. */
  search?: Upkeep;
  /** Folds list totals: one process for all. */
  totals?: Upkeep;
}
