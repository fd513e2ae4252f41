import { addingHeaders } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * For secret paths: no page there reveals its address to what is opened from it. Nor does an error page,
 * which may be at the secret address itself or one letter away from it.
 */
export function sendNoReferrer(): Middleware {
  const add = addingHeaders({ "Referrer-Policy": "no-referrer" });
  return (next) =>
    function sendNoReferrer(request, context) {
      context.headers = add(context.headers);
      return next(request, context);
    };
}
