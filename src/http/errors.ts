import { type Answer, json, type TextAnswer } from "./answer.ts";

/** Every error of the API and its status. */
const statuses = {
  invalid_parameter: 400,
  missing: 401,
  invalid: 401,
  revoked: 403,
  expired: 403,
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  quota_exceeded: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statuses;

/** `{error: code, …details}` with the code's status. Errors are never cached. */
export function errorAnswer(
  code: ErrorCode,
  details: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): TextAnswer {
  return json(
    statuses[code],
    { error: code, ...details },
    { "Cache-Control": "no-store", ...headers },
  );
}

export function invalidParameter({ parameter, message }: ParameterFault): Answer {
  return errorAnswer("invalid_parameter", { message, parameter });
}

export const notFound = (): TextAnswer => errorAnswer("not_found");

/**
 * 401 with the challenge of RFC 6750, section 3; its `error` is only for a token that was sent.
 * @param header Authorization, as it was sent
 */
export function unauthorized(header: string | null): Answer {
  return errorAnswer(
    header === null ? "missing" : "invalid",
    {},
    { "WWW-Authenticate": `Bearer realm="Highstreet"${challenge(header ?? "")}` },
  );
}

function challenge(header: string): string {
  if (/^Bearer\b/i.test(header)) return ', error="invalid_token"';
  // One word alone is a key sent without its scheme, the commonest mistake. Two are another scheme, for which
  // RFC 6750, section 3.1, wants no error code.
  if (!/^\S+$/.test(header)) return "";
  return ', error="invalid_token", error_description="Put the word Bearer and a space before the key."';
}

/** The path exists, but not with this method. @param allowed the value of the Allow header */
export function methodNotAllowed(method: string, allowed: string): Answer {
  return errorAnswer(
    "method_not_allowed",
    { message: `${method} is not supported here. Use one of: ${allowed}.` },
    { Allow: allowed },
  );
}

/** Open access, or refused keys: the caller has made all the requests that a minute allows. */
export function tooManyRequests(retryAfterSeconds: number): Answer {
  return json(
    429,
    {
      error: `Too many requests: at most 60 in any 60 seconds without a valid API key. ${tryAgainIn(retryAfterSeconds)}`,
    },
    { "Cache-Control": "no-store", "Retry-After": String(retryAfterSeconds) },
  );
}

/** When to come back, as a sentence for people. */
export const tryAgainIn = (seconds: number): string =>
  `Try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`;

/** Keyed access: the bucket is empty, or the quota of the month is used up. */
export function limitExceeded(
  reason: "rate_limited" | "quota_exceeded",
  retryAfterSeconds: number,
): Answer {
  const details = reason === "rate_limited" ? { retryAfter: retryAfterSeconds } : {};
  return errorAnswer(reason, details, { "Retry-After": String(retryAfterSeconds) });
}

/** Something that this answer needs is down; a retry may succeed. */
export function unavailable(): Answer {
  return errorAnswer(
    "unavailable",
    { message: "Part of the service is temporarily unavailable. Try again in a few seconds." },
    { "Retry-After": "5" },
  );
}

/** A failure of ours. It does not say what went wrong: that is in the log, under this id. */
export function internal(requestId: string): Answer {
  return errorAnswer(
    "internal",
    {
      message: `Something went wrong on our side. Trying again may help. If it does not, report it and quote ${requestId}, the id under which it has been logged.`,
    },
    { "X-Request-Id": requestId },
  );
}

/** What is wrong with which parameter, in words for the caller. */
export interface ParameterFault {
  parameter: string;
  message: string;
}
