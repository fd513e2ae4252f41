import ms from "ms";
import { CommandError } from "./command.ts";

/**
 * Reads a duration such as 30d, 12h or 0s, of at most 100 years.
 * @param flag the option it was given for
 * @returns milliseconds
 */
export function readSpan(flag: string, text: string): number {
  // To `ms`, 30 is milliseconds and 1M a minute, which nobody means.
  const span = /^[^A-Z]*[a-z]$/.test(text) ? ms(text as ms.StringValue) : undefined;
  if (span === undefined || !(span >= 0) || span > LONGEST_SPAN_MS) {
    throw new CommandError(
      `${flag} must be a duration such as 30d, 12h or 90m, at most 100 years.`,
    );
  }
  return span;
}

const LONGEST_SPAN_MS = ms("100y");
