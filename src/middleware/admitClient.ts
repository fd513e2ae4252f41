import type { Admission } from "../access/admission.ts";
import { tooManyRequests } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";

/** Open access: lets through 60 requests in any 60 seconds per client. */
export function admitClient(admission: Admission): Middleware {
  return (next) =>
    async function admitClient(request, context) {
      const retryAfterSeconds = await admission.admitClient(context.client());
      return retryAfterSeconds === 0 ? next(request, context) : tooManyRequests(retryAfterSeconds);
    };
}
