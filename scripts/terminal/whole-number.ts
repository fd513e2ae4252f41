import { CommandError } from "./command.ts";

/**
 * Reads a whole number of at most nine digits.
 * @param flag the option it was given for
 */
export function readWholeNumber(flag: string, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new CommandError(
      `${flag} must be a whole number from ${least} to 999999999; not ${text}.`,
    );
  }
  return Number(text);
}
