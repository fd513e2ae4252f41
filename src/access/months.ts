import { memoized } from "../memoized.ts";

/**
 * When a calendar month in UTC, such as `2026-11`, begins and ends, in milliseconds since 1970. Every request needs
 * one, and nearly all the same.
 */
export const monthOf = memoized(100, (name) => {
  const [year = 0, ordinal = 0] = name.split("-").map(Number);
  return { beginsAt: Date.UTC(year, ordinal - 1), endsAt: Date.UTC(year, ordinal) };
});
