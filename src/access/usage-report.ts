import * as v from "valibot";
import type { MeterReading } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";
import { monthOf } from "./months.ts";

const count = (description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.description(description));

/** The usage of a key and its limits, as reported to its holder and to operators. */
export const UsageReport = v.strictObject({
  tier: v.pipe(v.string(), v.metadata({ description: "The key's tier.", examples: ["developer"] })),
  month: v.pipe(
    v.string(),
    v.regex(/^\d{4}-\d\d$/),
    v.description("The calendar month in UTC, such as 2026-11."),
  ),
  quota: count("Requests a month."),
  used: count("Requests charged this month."),
  remaining: count("Requests left this month."),
  resetsAt: v.pipe(v.string(), v.isoTimestamp(), v.description("When the quota resets.")),
  perMinute: count("Requests a minute: how fast the bucket refills."),
  burst: count("Requests that a full bucket holds."),
  tokensLeft: count("Requests that the bucket holds now."),
});
export type UsageReport = v.InferOutput<typeof UsageReport>;

/** The report on a key, from a fresh reading of its meter. */
export function usageOf(key: ApiKey, { month, used, tokensLeft }: MeterReading): UsageReport {
  const { tier, quota, perMinute, burst } = key;
  const resetsAt = new Date(monthOf(month).endsAt).toISOString();
  const remaining = Math.max(0, quota - used);
  return { tier, month, quota, used, remaining, resetsAt, perMinute, burst, tokensLeft };
}
