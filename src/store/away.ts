import { MeilisearchError } from "meilisearch";
import pino from "pino";
import { DeadlineError } from "./deadline.ts";
import { isPostgresAway, isPostgresSlow, isPostgresUnusable } from "./postgres-errors.ts";

/** Something cannot be done, since a store that it needs does not answer as it should; the cause says how. */
export class StoreAway extends Error {}

/**
 * Whether an error means that a store is down, unusable or too slow, so that a later retry may succeed; one of Redis
 * itself only if its code says so.
 */
export function isAway(error: unknown): boolean {
  return (
    error instanceof StoreAway ||
    error instanceof DeadlineError ||
    error instanceof MeilisearchError ||
    isPostgresAway(error) ||
    isPostgresSlow(error) ||
    isPostgresUnusable(error) ||
    isCertificateRefused(error)
  );
}

/** Whether the certificate of a store is not trusted, as when it has expired. */
export function isCertificateRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return /CERT|LEAF_SIGNATURE/.test(String(code));
}

/** What the log has of such an error. Its stack would only say where the failure was noticed. */
export function causeOf(error: unknown) {
  const { type, message, code } = pino.stdSerializers.err(error as Error);
  return { type, message, code };
}
