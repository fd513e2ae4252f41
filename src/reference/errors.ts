import * as v from "valibot";
import type { Answer } from "../http/answer.ts";
import * as errors from "../http/errors.ts";
import { parseQuery, parseSlug } from "../http/parameters.ts";
import type { Operation } from "./operations.ts";

/** One error: the exact answer, and when it is returned. */
export interface ErrorCase {
  when: string;
  /** The exact schema. Messages are for people, codes for programs. */
  body: v.GenericSchema;
  answer: Answer;
}

const bare = (code: errors.ErrorCode) => v.strictObject({ error: v.literal(code) });
const explained = (code: errors.ErrorCode) =>
  v.strictObject({
    error: v.literal(code),
    message: v.pipe(v.string(), v.description("What is wrong and what to do about it.")),
  });

export const errorCases = {
  InvalidParameter: {
    when: "A parameter has an invalid value.",
    body: v.strictObject({
      ...explained("invalid_parameter").entries,
      parameter: v.pipe(v.string(), v.description("The invalid parameter.")),
    }),
    answer: errors.invalidParameter({
      parameter: "page",
      message: "page must be a whole number from 1 to 999999999.",
    }),
  },
  Missing: {
    when: "The Authorization header is missing.",
    body: bare("missing"),
    answer: errors.unauthorized(null),
  },
  Invalid: {
    when: "The Authorization header is malformed (it must be the word Bearer, a space and a key), or the key is unknown.",
    body: bare("invalid"),
    answer: errors.unauthorized("Bearer hs_live_…"),
  },
  Revoked: {
    when: "The key has been revoked.",
    body: bare("revoked"),
    answer: errors.errorAnswer("revoked"),
  },
  Expired: {
    when: "The key has expired.",
    body: bare("expired"),
    answer: errors.errorAnswer("expired"),
  },
  NotFound: {
    when: "No approved business has that slug, or the path does not exist.",
    body: bare("not_found"),
    answer: errors.notFound(),
  },
  MethodNotAllowed: {
    when: "The method is not GET, HEAD or OPTIONS.",
    body: explained("method_not_allowed"),
    answer: errors.methodNotAllowed("POST", "GET, HEAD, OPTIONS"),
  },
  TooManyRequests: {
    when: "More than 60 requests without a valid key in any 60 seconds from one address. Costs nothing.",
    body: v.strictObject({
      // The only error with a sentence where the others have a code.
      error: v.pipe(
        v.string(),
        v.startsWith("Too many requests"),
        v.description("Says when to try again."),
      ),
    }),
    answer: errors.tooManyRequests(12),
  },
  RateLimited: {
    when: "The key's bucket is empty. Costs nothing.",
    body: v.strictObject({
      error: v.literal("rate_limited"),
      retryAfter: v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.description("Seconds until the next token, as in Retry-After."),
      ),
    }),
    answer: errors.limitExceeded("rate_limited", 1),
  },
  QuotaExceeded: {
    when:
      "The key's quota for this month is used up. Costs nothing. Retry-After runs until the first of the next " +
      "month: stop and alert someone instead of sleeping that long.",
    body: bare("quota_exceeded"),
    answer: errors.limitExceeded("quota_exceeded", 777_600),
  },
  Internal: {
    when: "Something failed on our side. Costs the key nothing. To report it, quote X-Request-Id.",
    body: explained("internal"),
    answer: errors.internal("019a2f6e-1c40-7b3a-9d52-6f0c8a7e4b12"),
  },
  Unavailable: {
    when: "Part of the service is temporarily unavailable. Costs the key nothing.",
    body: explained("unavailable"),
    answer: errors.unavailable(),
  },
} satisfies Record<string, ErrorCase>;

export type ErrorName = keyof typeof errorCases;

/** The errors that an operation may return. */
export function errorsOf({ path, open, invalid, isFree }: Operation): ErrorName[] {
  const names: (ErrorName | false)[] = [
    invalid !== undefined && "InvalidParameter",
    !open && "Missing",
    "Invalid",
    "Revoked",
    "Expired",
    path.includes("{slug}") && "NotFound",
    "TooManyRequests",
    !isFree && "RateLimited",
    !isFree && "QuotaExceeded",
    "Internal",
    "Unavailable",
  ];
  return names.filter((name) => name !== false);
}

/** The errors, with the 400 that this operation gives. */
export function casesOf({ path, keyed, invalid }: Operation): Record<ErrorName, ErrorCase> {
  if (invalid === undefined) return errorCases;
  const parsed = path.includes("{slug}")
    ? parseSlug(invalid)
    : parseQuery(invalid, keyed.parameters);
  if (parsed.ok) throw new Error(`${path} accepts ${invalid}`);
  const answer = errors.invalidParameter(parsed.fault);
  return { ...errorCases, InvalidParameter: { ...errorCases.InvalidParameter, answer } };
}
