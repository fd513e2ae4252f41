import ms from "ms";
import { CommandError } from "./command.ts";

/**
 * Reads a duration such as 30d, 12h or 0s, of at most 100 years.
 * @param flag the option it was given for
 * @returns milliseconds
 */
export function readDuration(flag: string, text: string): number {
  // To `ms`, 30 is milliseconds and 1M a minute, which nobody means.
  const duration = /^[^A-Z]*[a-z]$/.test(text) ? ms(text as ms.StringValue) : undefined;
  if (duration === undefined || !(duration >= 0) || duration > LONGEST_MS) {
    throw new CommandError(
      `${flag} must be a duration such as 30d, 12h or 90m, at most 100 years.`,
    );
  }
  return duration;
}

const LONGEST_MS = ms("100y");
