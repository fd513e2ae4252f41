import type { Logger } from "pino";
import { AdmissionUnavailable } from "../access/admission.ts";
import { internal, unavailable } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";
import { SearchUnavailable } from "../search/query.ts";
import { isPostgresAway } from "../store/postgres.ts";

/** Breakage becomes 503 or 500; the cause goes to the log and to nobody else. */
export function catchErrors(log: Logger): Middleware {
  return (next) =>
    async function catchErrors(request, context) {
      try {
        return await next(request, context);
      } catch (error) {
        const isAway =
          error instanceof SearchUnavailable ||
          error instanceof AdmissionUnavailable ||
          isPostgresAway(error);
        // The path without its query: people type private things into searches.
        const [path] = request.url.split("?");
        log.error({ err: error, method: request.method, path }, "a request failed");
        return isAway ? unavailable() : internal();
      }
    };
}
