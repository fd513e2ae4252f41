import { unauthorized } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/** For when open access is off: any request without an Authorization header gets 401. */
export function requireHeader(): Middleware {
  return (next) =>
    function requireHeader(request, context) {
      if (!request.headers.has("Authorization")) return unauthorized(null);
      return next(request, context);
    };
}
