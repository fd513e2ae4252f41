import { NO_HEADERS } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * For paths that do not exist: answers the preflight of a request from a web page like any other. Browsers
 * send no request whose preflight got 404, so the page would hear of a failure of CORS and not of its
 * mistyped path.
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
