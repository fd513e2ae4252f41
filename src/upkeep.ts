/** Work that goes on beside the answers, until it is stopped. */
export interface Upkeep {
  /** Whether it failed when it was last tried; it is tried again and again. */
  isFailing(): boolean;
  stop(): Promise<void>;
}

/** What of it a process does, by the names of the metric. */
export interface UpkeepTasks {
  /** Writes to PostgreSQL what keys have used: each process what it has charged itself. */
  usage: Upkeep;
  /** Keeps the search index current: one process for all. */
  search?: Upkeep;
  /** Folds list totals: one process for all. */
  totals?: Upkeep;
}
