import type OpeningHours from "opening_hours";
import type { nominatim_object } from "opening_hours";
import type { ImportRecord } from "../../src/directory/import/record.ts";
import { weekdays } from "../../src/directory/weekdays.ts";

/** The opening hours of a week, in the shape of an import record. */
export type Week = NonNullable<ImportRecord["openingHours"]>;

/**
 * By the letter of the format, "Th 18:00-02:00; Fr 18:00-04:00" closes on Thursday at midnight, since
 * the rule for Friday replaces all of Friday, and "18:00-02:00; Mo off" is open from midnight to two on
 * Tuesday. Nobody means that: the night belongs to the rule of the evening before it, and to no other.
 */
interface Hours {
  /** The rules as the library writes them. */
  text: string;
  whole: OpeningHours;
  /** The same rules, but all of them end at midnight. */
  days: OpeningHours;
}

/** Reads rules in OpenStreetMap's format. @throws a string that describes the fault */
export function readRules(given: string): Hours {
  const whole = hoursOf(given);
  const text = whole.prettifyValue();
  const withoutNights = text.replace(/(\d\d:\d\d)-(\d\d:\d\d)\+?/g, (span, from, to) =>
    to < from || to > "24:00" ? `${from}-24:00` : span,
  );
  return {
    text,
    whole,
    days: withoutNights === text ? whole : hoursOf(withoutNights),
  };
}

/** Loads the library for the first of them: that takes longer than all else at the start of an import. */
function hoursOf(rules: string): OpeningHours {
  const Library: typeof OpeningHours = require("opening_hours");
  return new Library(rules, ENGLAND);
}

/** For the dates of public holidays. */
const ENGLAND: nominatim_object = {
  lat: 52.6,
  lon: -1.5,
  address: { country_code: "gb", state: "England" },
};

/**
 * A Monday in each month of a year, with neither a public holiday nor a change of clocks in England from
 * MARGIN_DAYS before its week to MARGIN_DAYS after it.
 */
export const MONDAYS = [
  [2025, 0, 13],
  [2025, 1, 3],
  [2025, 2, 10],
  [2025, 3, 7],
  [2025, 4, 12],
  [2025, 5, 16],
  [2025, 6, 21],
  [2025, 7, 4],
  [2025, 8, 15],
  [2025, 9, 6],
  [2025, 10, 17],
  [2025, 11, 8],
] as const;
const MARGIN_DAYS = 2;

/**
 * The hours of the week that begins on this Monday; null when those of a day are not known.
 * @throws Error when holidays or sunrises cannot be placed
 */
export function weekFrom(hours: Hours, [year, month, day]: (typeof MONDAYS)[number]): Week | null {
  const at = (days: number) => new Date(year, month, day + days);
  // With a margin on each side, so that no interval of this week is cut.
  const intervals = hours.days.getOpenIntervals(at(-MARGIN_DAYS), at(7 + MARGIN_DAYS));
  if (intervals.some(isUnknownDay)) return null;

  const open = intervals
    .filter(([, , isUnknown]) => !isUnknown)
    .map((interval) => withNight(hours, interval))
    .flatMap(([from, to]) => splitDays(from, to))
    .filter(([from]) => from >= at(0) && from < at(7));
  return weekdays.flatMap((name, index): Week => {
    const ofDay = open.filter(([from]) => from >= at(index) && from < at(index + 1));
    if (ofDay.length === 0) return [{ day: name, isClosed: true }];
    return ofDay.map(([from, to]) =>
      isWholeDay(from, to)
        ? { day: name, is24Hours: true }
        : { day: name, openTime: timeOf(from), closeTime: timeOf(to) },
    );
  });
}

type Interval = [from: Date, to: Date, isUnknown: boolean, comment: string | undefined];

/** "22:00+" after known hours only leaves their end open; without them the closing time would be a guess. */
function isUnknownDay(
  [from, , isUnknown]: Interval,
  place: number,
  all: readonly Interval[],
): boolean {
  if (!isUnknown) return false;
  const before = all[place - 1];
  const isTail = before !== undefined && !before[2] && before[1].getTime() === from.getTime();
  return !isTail && place > 0;
}

/** Adds the night that follows, by the rule of the evening alone: another may have opened the place. */
function withNight({ whole, days }: Hours, interval: Interval): Interval {
  const [from, to, ...rest] = interval;
  const evening = new Date(to.getTime() - MINUTE_MS);
  const rule = isMidnight(to) ? days.getMatchingRule(evening) : undefined;
  if (rule === undefined) return interval;
  const alone = hoursOf(whole.prettifyValue({ rule_index: rule }));
  const end = new Date(to.getTime() + DAY_MS);
  const [night] = alone.getOpenIntervals(evening, end);
  return night && night[0] <= evening && night[1] > to && night[1] < end
    ? [from, night[1], ...rest]
    : interval;
}

/** Splits an interval of a day or longer into days; a night belongs to the day on which it began. */
function splitDays(from: Date, to: Date): [Date, Date][] {
  if (to.getTime() - from.getTime() <= DAY_MS && !isMidnight(from)) return [[from, to]];
  const midnight = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
  if (to <= midnight) return [[from, to]];
  return [[from, midnight], ...splitDays(midnight, to)];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const isMidnight = (date: Date) => date.getHours() === 0 && date.getMinutes() === 0;
const isWholeDay = (from: Date, to: Date) =>
  isMidnight(from) && to.getTime() - from.getTime() >= DAY_MS;

const timeOf = (date: Date) =>
  `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
