import type { MeterReading } from "../access/decisions.ts";
import type { ApiKey } from "../access/keys.ts";
import { monthOf } from "../access/months.ts";

/**
 * The fields that tell the holder of a key what is left of its limits, after
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (version 11). Both are
 * lists of strings with parameters (RFC 9651), one member for each policy.
 *
 * `RateLimit-Policy` is the standing rule: `q` requests in a window of `w` seconds. For "month",
 * `w` is the length of the current calendar month. When the bucket of "permin" holds another number
 * of requests than it refills in a minute, `highstreet-burst` is that number.
 *
 * `RateLimit` is what is left now: no more than `r` requests within `t` seconds. At the end of
 * `t`, "permin" has one more and "month" is whole again; on a refusal, `t` of the policy that
 * refused is the same as Retry-After.
 */
export function rateLimitFields(key: ApiKey, reading: MeterReading): Record<string, string> {
  const { quota, perMinute, burst } = key;
  const ownBurst = burst === perMinute ? "" : `;highstreet-burst=${burst}`;
  const { tokensLeft, nextTokenInSeconds, used, month, monthEndsInSeconds } = reading;
  const { beginsAt, endsAt } = monthOf(month);
  const monthSeconds = (endsAt - beginsAt) / 1000;
  return {
    [POLICY_FIELD]: `"permin";q=${perMinute};w=60${ownBurst}, "month";q=${quota};w=${monthSeconds}`,
    [LIMIT_FIELD]:
      `"permin";r=${tokensLeft};t=${nextTokenInSeconds}, ` +
      `"month";r=${Math.max(0, quota - used)};t=${monthEndsInSeconds}`,
  };
}

// The draft may still change; the names appear only here.
const POLICY_FIELD = "RateLimit-Policy";
const LIMIT_FIELD = "RateLimit";
