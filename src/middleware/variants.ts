import { addingHeaders } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";

/** One path, two variants: a request with an Authorization header is keyed, one without is open. */
export function variants(open: Handler, keyed: Handler): Handler {
  const addVary = addingHeaders({ Vary: "Authorization" });
  return async function variants(request, context) {
    const handler = request.headers.has("Authorization") ? keyed : open;
    return addVary(await handler(request, context));
  };
}
