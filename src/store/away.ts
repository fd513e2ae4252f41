import { MeilisearchError } from "meilisearch";
import pino from "pino";
import { DeadlineError } from "./deadline.ts";
import { isPostgresAway, isPostgresFull, isPostgresSlow } from "./postgres-errors.ts";

/** Whether an error means that a store is down, full or too slow; one of Redis only if its code says so. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof DeadlineError ||
    error instanceof MeilisearchError ||
    isPostgresAway(error) ||
    isPostgresFull(error) ||
    isPostgresSlow(error)
  );
}

/** What the log has of such an error. Its stack would only say where the failure was noticed. */
export function causeOf(error: unknown) {
  const { type, message, code } = pino.stdSerializers.err(error as Error);
  return { type, message, code };
}
