import { methodNotAllowed } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * Lets GET and HEAD through, or the methods given; answers OPTIONS with what is allowed and
 * anything else with 405.
 */
export function allowMethods(methods: readonly string[] = ["GET", "HEAD"]): Middleware {
  const allowed = [...methods, "OPTIONS"].join(", ");
  return (next) =>
    function allowMethods(request, context) {
      if (methods.includes(request.method)) return next(request, context);
      if (request.method === "OPTIONS") {
        return { status: 204, headers: { Allow: allowed }, body: null };
      }
      return methodNotAllowed(request.method, allowed);
    };
}
