/** A background task, which runs until it is stopped. */
export interface Upkeep {
  /** Whether its last attempt failed; it is retried. */
  isFailing(): boolean;
  stop(): Promise<void>;
}
