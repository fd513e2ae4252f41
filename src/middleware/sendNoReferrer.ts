import { addingHeaders } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";

/**
 * For paths that are secrets: no page there tells its address to what is opened from it, and none of an error
 * does, which may be at the secret address itself or at one that is wrong by one letter.
 */
export function sendNoReferrer(): Middleware {
  const add = addingHeaders({ "Referrer-Policy": "no-referrer" });
  return (next) =>
    function sendNoReferrer(request, context) {
      context.headers = add(context.headers);
      return next(request, context);
    };
}
