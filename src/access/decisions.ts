import { StoreAway } from "../store/away.ts";
import { monthOf } from "./months.ts";

/**
 * Admission decisions and their constants, the same whether Redis decides (meters.ts) or this process does
 * (local.ts).
 */

/** The state of a key's meter after a decision. Seconds are whole, rounded up. */
export interface MeterReading {
  /** The calendar month in UTC that is counted, such as `2026-11`. */
  month: string;
  used: number;
  /** Until the first of the next month, when the quota is whole again. */
  monthEndsInSeconds: number;
  /** Whole requests left in the bucket. */
  tokensLeft: number;
  /** Until there is one more. */
  nextTokenInSeconds: number;
  /** The number of the meter's last charge among all that this process has made; absent when Redis decided. */
  localCharge?: number;
}

/** Whether a key's request is admitted, and the state of its meter then. */
export type Decision = MeterReading & ({ admitted: true } | Refused);

interface Refused {
  admitted: false;
  reason: "rate_limited" | "quota_exceeded";
  /** Whole seconds, at least 1. */
  retryAfterSeconds: number;
}

/**
 * The decision on a charge, from the state of the meter after it.
 * @param standing.level of the bucket, in fractions of a request
 * @param standing.time of this decision, microseconds since 1970
 * @param token how many such fractions make a request
 */
export function decisionOf(
  outcome: "admitted" | Refused["reason"],
  standing: { month: string; used: number; level: number; perMinute: number; time: number },
  token = TOKEN,
): Decision {
  const { month, used, level, perMinute, time } = standing;
  const monthEndsInSeconds = Math.ceil((monthOf(month).endsAt * 1000 - time) / SECOND);
  const tokensLeft = Math.floor(level / token);
  const nextTokenInSeconds = Math.ceil((token - (level % token)) / perMinute / SECOND);
  const reading = { month, used, monthEndsInSeconds, tokensLeft, nextTokenInSeconds };
  if (outcome === "admitted") return { ...reading, admitted: true };
  const retryAfterSeconds = outcome === "rate_limited" ? nextTokenInSeconds : monthEndsInSeconds;
  return { ...reading, admitted: false, reason: outcome, retryAfterSeconds };
}

/** An admission cannot be decided, since what it depends on cannot be read. */
export class AdmissionUnavailable extends StoreAway {}

/** Open access: requests of a client in any window. */
export const OPEN_LIMIT = 60;
export const OPEN_WINDOW_MICROSECONDS = 60_000_000;

/** A request in the units that a bucket counts, and a second in microseconds: as in admit-keys.lua. */
export const TOKEN = 60_000_000;
export const SECOND = 1_000_000;
