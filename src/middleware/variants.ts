import { withHeaders } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";

/** One path, two variants: a request with an Authorization header is keyed, one without is open. */
export function variants(open: Handler, keyed: Handler): Handler {
  return async function variants(request, context) {
    const handler = request.headers.has("Authorization") ? keyed : open;
    return withHeaders(await handler(request, context), { Vary: "Authorization" });
  };
}
