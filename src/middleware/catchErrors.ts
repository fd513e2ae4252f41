import type { Logger } from "pino";
import { AdmissionUnavailable } from "../access/admission.ts";
import { internal, unavailable } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";
import { SearchUnavailable } from "../search/query.ts";
import { DeadlineError } from "../store/deadline.ts";
import { isPostgresAway } from "../store/postgres.ts";

/** Breakage becomes 503 or 500; the cause goes to the log and to nobody else. */
export function catchErrors(log: Logger): Middleware {
  return (next) =>
    async function catchErrors(request, context) {
      try {
        return await next(request, context);
      } catch (error) {
        const path = loggedPath(request.url);
        log.error({ err: error, method: request.method, path }, "a request failed");
        return isStoreAway(error) ? unavailable() : internal();
      }
    };
}

/** Whether an error means that a store is away or too slow, so that it is worth another try later. */
export function isStoreAway(error: unknown): boolean {
  return (
    error instanceof SearchUnavailable ||
    error instanceof AdmissionUnavailable ||
    error instanceof DeadlineError ||
    isPostgresAway(error)
  );
}

/** Without the query, for people type private things into searches, and without an applicant's token. */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?");
  return path.replace(/(\/applications\/)[^/]+/, "$1…");
}
