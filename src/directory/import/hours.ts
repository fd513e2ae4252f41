import type { OpeningHours } from "../schemas.ts";
import { weekdays } from "../weekdays.ts";
import type { CheckedRecord } from "./record.ts";

type Entry = NonNullable<CheckedRecord["openingHours"]>[number];

/**
 * The entries in the order of the week; a day that is closed or open all day has no times. Entries that touch
 * or overlap become one: open until 12:00 and from 12:00 means no closing at 12:00. A closed entry is dropped
 * when another is open: closed at lunch does not mean closed that day.
 */
export function readOpeningHours(entries: readonly Entry[]): OpeningHours[] {
  const joined: OpeningHours[] = [];
  for (const entry of entries.map(readEntry).sort(inOrder)) {
    const last = joined.at(-1);
    if (last?.day !== entry.day) joined.push(entry);
    else if (last.is24Hours) continue;
    else if (last.isClosed) joined[joined.length - 1] = entry;
    else if (entry.openTime > endOf(last)) joined.push(entry);
    else joined[joined.length - 1] = join(last, entry);
  }
  return joined;
}

function readEntry({ day, openTime, closeTime, isClosed, is24Hours }: Entry): OpeningHours {
  const isMidnights = openTime === "00:00" && (closeTime === "24:00" || closeTime === "00:00");
  const isAllDay = !isClosed && (is24Hours || isMidnights);
  const hasTimes = !isClosed && !isAllDay;
  return {
    day,
    openTime: hasTimes ? (openTime ?? "") : "",
    closeTime: hasTimes ? (closeTime ?? "").replace("24:00", "00:00") : "",
    isClosed: Boolean(isClosed),
    is24Hours: Boolean(isAllDay),
  };
}

/** Entries without times come first in their day. */
const inOrder = (a: OpeningHours, b: OpeningHours) =>
  weekdays.indexOf(a.day) - weekdays.indexOf(b.day) || a.openTime.localeCompare(b.openTime);

/** Joins two intervals that touch or overlap, the earlier of them first. The result has 24 hours at most. */
function join(first: OpeningHours, second: OpeningHours): OpeningHours {
  const end = [endOf(first), endOf(second)].sort().at(-1) ?? "";
  if (end < shifted(first.openTime, 24)) {
    return { ...first, closeTime: end < "24:00" ? end : shifted(end, -24) };
  }
  return first.openTime === "00:00"
    ? { ...first, openTime: "", closeTime: "", is24Hours: true }
    : { ...first, closeTime: first.openTime };
}

/** When an interval ends, counted on past midnight: 26:00 is 02:00 of the next day. */
const endOf = ({ openTime, closeTime }: OpeningHours) =>
  closeTime > openTime ? closeTime : shifted(closeTime, 24);

const shifted = (time: string, hours: number) =>
  `${String(Number(time.slice(0, 2)) + hours).padStart(2, "0")}${time.slice(2)}`;
