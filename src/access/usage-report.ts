import type { MeterReading } from "./admission.ts";
import type { ApiKey } from "./keys.ts";

/** How a key stands, as it is told to its holder and to operators. */
export interface UsageReport {
  tier: string;
  /** The calendar month in UTC, such as `2026-11`. */
  month: string;
  quota: number;
  used: number;
  remaining: number;
  /** When the quota is whole again, ISO 8601. */
  resetsAt: string;
  perMinute: number;
  burst: number;
  tokensLeft: number;
}

export function usageOf(key: ApiKey, { month, used, tokensLeft }: MeterReading): UsageReport {
  const { tier, quota, perMinute, burst } = key;
  const [year = 0, ordinal = 0] = month.split("-").map(Number);
  const resetsAt = new Date(Date.UTC(year, ordinal)).toISOString();
  const remaining = Math.max(0, quota - used);
  return { tier, month, quota, used, remaining, resetsAt, perMinute, burst, tokensLeft };
}
