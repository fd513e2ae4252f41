import type { Logger } from "pino";
import type { Answer } from "../http/answer.ts";
import { internal, unavailable } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";
import { causeOf, isAway } from "../store/away.ts";

/** Turns exceptions into 503 or 500; the cause goes only to the log. */
export function catchErrors(log: Logger, logAway: AwayLog): Middleware {
  return (next) =>
    async function catchErrors(request, context) {
      try {
        return await next(request, context);
      } catch (error) {
        if (isAway(error)) {
          logAway(error, request);
          return unavailable();
        }
        return failed(log, { err: error, ...asked(request) }, "a request failed");
      }
    };
}

/** Logs a failure of ours. @returns 500, with the id in its line */
export function failed(log: Logger, failure: { err: unknown }, message: string): Answer {
  const requestId = Bun.randomUUIDv7();
  log.error({ ...failure, requestId }, message);
  return internal(requestId);
}

/** Logs that a request failed because a store is down or slow. */
export type AwayLog = (error: unknown, request: Request) => void;

/**
 * While a store is down or slow every request may fail, so the log gets the first failure of each cause at once
 * and, while others follow, the latest one each second. A server needs a single one for all its routes, or each
 * would write lines of its own.
 */
export function createAwayLog(log: Logger): AwayLog {
  /** By cause, the failures since its last line. */
  const waiting = new Map<string, { count: number; last?: Failure }>();

  /** @param leftOut the number of others since the line before */
  function write({ error, ...request }: Failure, leftOut: number): void {
    log.error(
      { cause: causeOf(error), ...request, leftOut },
      "a request failed: a store is down or slow",
    );

    const key = kindOf(error);
    const others: { count: number; last?: Failure } = { count: 0 };
    waiting.set(key, others);
    setTimeout(() => {
      waiting.delete(key);
      if (others.last) write(others.last, others.count - 1);
    }, LINE_INTERVAL_MS).unref();
  }

  return (error, request) => {
    const failure = { error, ...asked(request) };
    const others = waiting.get(kindOf(error));
    if (!others) return write(failure, 0);
    others.count += 1;
    others.last = failure;
  };
}

const asked = ({ method, url }: Request) => ({ method, path: loggedPath(url) });

/** Omits the query, since people type private things into searches, and the token of an applicant. */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?");
  return path.replace(/(\/applications\/)[^/]+/, "$1…");
}

type Failure = { error: unknown } & ReturnType<typeof asked>;

const LINE_INTERVAL_MS = 1_000;

/** Ignores messages: some say how long something took, and are never the same. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code = "" } = error as { code?: unknown };
  return `${error.constructor.name} ${code} ${kindOf(error.cause)}`;
}
