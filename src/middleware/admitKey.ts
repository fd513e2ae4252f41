import type { Admission } from "../access/admission.ts";
import type { Keyring } from "../access/keyring.ts";
import { withHeaders } from "../http/answer.ts";
import { limitExceeded } from "../http/errors.ts";
import type { Middleware } from "../http/handler.ts";
import { rateLimitFields } from "./rateLimitFields.ts";
import { withKey } from "./withKey.ts";

/**
 * Keyed access: authenticates, then charges quota and bucket in one step. A refusal costs nothing, and a
 * charge is refunded when the handler throws, which makes the answer 5xx.
 */
export function admitKey(keyring: Keyring, admission: Admission): Middleware {
  return (next) =>
    withKey(keyring, admission, async function admitKey(key, request, context) {
      const decision = await admission.admitKey(key);
      const fields = rateLimitFields(key, decision);
      if (!decision.admitted) {
        const { reason, retryAfterSeconds } = decision;
        return withHeaders(limitExceeded(reason, retryAfterSeconds), fields);
      }
      try {
        return withHeaders(await next(request, context), fields);
      } catch (error) {
        // This never throws: otherwise the first error would be lost.
        await admission.refundKey(key, decision);
        throw error;
      }
    });
}
