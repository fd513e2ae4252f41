import { NO_HEADERS } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * For paths that do not exist: answers a CORS preflight as elsewhere. Browsers send no request whose
 * preflight got 404, so a web page would see a CORS failure instead of its mistyped path.
 */
export function answerPreflight(): Middleware {
  return (next) =>
    function answerPreflight(request, context) {
      const isPreflight =
        request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method");
      return isPreflight
        ? { status: 204, headers: NO_HEADERS, body: null }
        : next(request, context);
    };
}
