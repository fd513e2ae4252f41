import pino, { type Logger } from "pino";
import { AdmissionUnavailable } from "../access/decisions.ts";
import { internal, unavailable } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";
import { SearchUnavailable } from "../search/query.ts";
import { DeadlineError } from "../store/deadline.ts";
import { isPostgresAway, isPostgresSlow } from "../store/postgres-errors.ts";

/** Turns exceptions into 503 or 500; the cause goes only to the log. */
export function catchErrors(log: Logger, logAway: AwayLog): Middleware {
  return (next) =>
    async function catchErrors(request, context) {
      try {
        return await next(request, context);
      } catch (error) {
        if (isStoreAway(error)) {
          logAway(error, request);
          return unavailable();
        }
        log.error({ err: error, ...asked(request) }, "a request failed");
        return internal();
      }
    };
}

/** Logs that a request failed because a store is down or slow. */
export type AwayLog = (error: unknown, request: Request) => void;

/**
 * While a store is down or slow every request may fail, so the log gets one short line a second for each
 * cause. A server needs a single one for all its routes, or each would write lines of its own.
 */
export function createAwayLog(log: Logger): AwayLog {
  const write = onceASecond(({ error, ...asked }, leftOut) => {
    const { type, message, code } = pino.stdSerializers.err(error as Error);
    const cause = { type, message, code };
    log.error({ cause, ...asked, leftOut }, "a request failed: a store is down or slow");
  });
  return (error, request) => write({ error, ...asked(request) });
}

/** Whether an error means that a store is down or too slow, so that a later retry may succeed. */
export function isStoreAway(error: unknown): boolean {
  return (
    error instanceof SearchUnavailable ||
    error instanceof AdmissionUnavailable ||
    error instanceof DeadlineError ||
    isPostgresAway(error) ||
    isPostgresSlow(error)
  );
}

const asked = ({ method, url }: Request) => ({ method, path: loggedPath(url) });

/** Omits the query, since people type private things into searches, and the token of an applicant. */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?");
  return path.replace(/(\/applications\/)[^/]+/, "$1…");
}

interface Failure {
  error: unknown;
  method: string;
  path: string;
}

/**
 * Writes the first failure of a cause at once and, while others follow, the latest one each second.
 * @param write called with the failure, and the number of others since the line before
 */
function onceASecond(
  write: (failure: Failure, leftOut: number) => void,
): (failure: Failure) => void {
  /** By cause, the failures since its last line. */
  const waiting = new Map<string, { failures: number; last?: Failure }>();

  function writeAndWait(cause: string, failure: Failure, leftOut: number): void {
    write(failure, leftOut);
    waiting.set(cause, { failures: 0 });
    setTimeout(() => {
      const { failures = 0, last } = waiting.get(cause) ?? {};
      waiting.delete(cause);
      if (last) writeAndWait(cause, last, failures - 1);
    }, LINE_INTERVAL_MS).unref();
  }

  return (failure) => {
    const cause = causeOf(failure.error);
    const others = waiting.get(cause);
    if (!others) return writeAndWait(cause, failure, 0);
    others.failures += 1;
    others.last = failure;
  };
}

const LINE_INTERVAL_MS = 1_000;

/** Ignores messages: some say how long something took, and are never the same. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code = "" } = error as { code?: unknown };
  return `${error.constructor.name} ${code} ${causeOf(error.cause)}`;
}
