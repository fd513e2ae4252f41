/** A calendar month in UTC. */
interface Month {
  /** Milliseconds since 1970. */
  beginsAt: number;
  /** When the next one begins. */
  endsAt: number;
}

/** @param name such as `2026-11` */
export function monthOf(name: string): Month {
  let month = known.get(name);
  if (!month) {
    const [year = 0, ordinal = 0] = name.split("-").map(Number);
    month = { beginsAt: Date.UTC(year, ordinal - 1), endsAt: Date.UTC(year, ordinal) };
    known.set(name, month);
  }
  return month;
}

/** Every request needs one, and nearly all the same. */
const known = new Map<string, Month>();
