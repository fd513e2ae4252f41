/** When a calendar month in UTC, such as `2026-11`, begins and ends, in milliseconds since 1970. */
export function monthOf(name: string) {
  let month = known.get(name);
  if (!month) {
    const [year = 0, ordinal = 0] = name.split("-").map(Number);
    month = { beginsAt: Date.UTC(year, ordinal - 1), endsAt: Date.UTC(year, ordinal) };
    known.set(name, month);
  }
  return month;
}

/** Every request needs one, and nearly all the same. */
const known = new Map<string, { beginsAt: number; endsAt: number }>();
