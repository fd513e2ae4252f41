import ms from "ms";
import { CommandError } from "./command.ts";

/** Reads the value of an option as a whole number of at most nine digits. */
export function readWholeNumber(option: string, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new CommandError(
      `${option} must be a whole number from ${least} to 999999999; not ${text}.`,
    );
  }
  return Number(text);
}

/**
 * Reads the value of an option as a duration such as 30d, 12h or 0s, of at most 100 years.
 * @returns milliseconds
 */
export function readDuration(option: string, text: string): number {
  // To `ms`, 30 is milliseconds and 1M a minute, which nobody means.
  const duration = /^[^A-Z]*[a-z]$/.test(text) ? ms(text as ms.StringValue) : undefined;
  if (duration === undefined || !(duration >= 0) || duration > LONGEST_MS) {
    throw new CommandError(
      `${option} must be a duration such as 30d, 12h or 90m, at most 100 years.`,
    );
  }
  return duration;
}

const LONGEST_MS = ms("100y");
