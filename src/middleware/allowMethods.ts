import { methodNotAllowed } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/** Lets GET and HEAD through; answers OPTIONS with what is allowed and anything else with 405. */
export function allowMethods(): Middleware {
  return (next) =>
    function allowMethods(request, context) {
      if (request.method === "GET" || request.method === "HEAD") return next(request, context);
      if (request.method === "OPTIONS") {
        return { status: 204, headers: { Allow: ALLOWED }, body: null };
      }
      return methodNotAllowed(request.method, ALLOWED);
    };
}

const ALLOWED = "GET, HEAD, OPTIONS";
