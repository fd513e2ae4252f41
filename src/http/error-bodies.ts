import * as v from "valibot";
import type { ErrorCode } from "./errors.ts";

const bare = <const Code extends ErrorCode>(code: Code) =>
  v.strictObject({ error: v.literal(code) });
const explained = <const Code extends ErrorCode>(code: Code) =>
  v.strictObject({
    error: v.literal(code),
    message: v.pipe(v.string(), v.description("What is wrong and what to do about it.")),
  });

/** The body of each error, to the letter. Texts are for people, codes for programs. */
export const errorBodies = {
  invalid_parameter: v.strictObject({
    ...explained("invalid_parameter").entries,
    parameter: v.pipe(v.string(), v.description("The parameter that is wrong.")),
  }),
  missing: bare("missing"),
  invalid: bare("invalid"),
  revoked: bare("revoked"),
  expired: bare("expired"),
  not_found: bare("not_found"),
  method_not_allowed: explained("method_not_allowed"),
  rate_limited: v.strictObject({
    error: v.literal("rate_limited"),
    retryAfter: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.description("Seconds to the next token, as in Retry-After."),
    ),
  }),
  quota_exceeded: bare("quota_exceeded"),
  internal: explained("internal"),
  unavailable: explained("unavailable"),
} satisfies Record<ErrorCode, v.GenericSchema>;

/** Open access beyond its limit: the one error whose text stands where the others have a code. */
export const tooManyRequestsBody = v.strictObject({
  error: v.pipe(
    v.string(),
    v.startsWith("Too many requests"),
    v.description("Says when to come back."),
  ),
});
