import { unauthorized } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/** Open access turned off: whatever is asked for, a request without an Authorization header gets 401. */
export function requireHeader(): Middleware {
  return (next) =>
    function requireHeader(request, context) {
      if (!request.headers.has("Authorization")) return unauthorized(null);
      return next(request, context);
    };
}
