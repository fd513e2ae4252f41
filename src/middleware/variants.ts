import { addingHeaders } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";

/** One path, two variants: a request with an Authorization header is keyed, one without is open. */
export function variants(open: Handler, keyed: Handler): Handler {
  const addVary = addingHeaders({ Vary: "Authorization" });
  return function variants(request, context) {
    context.headers = addVary(context.headers);
    const handler = request.headers.has("Authorization") ? keyed : open;
    return handler(request, context);
  };
}
