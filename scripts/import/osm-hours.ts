import { LRUCache } from "lru-cache";
import OpeningHours, { type nominatim_object } from "opening_hours";
import type { ImportRecord } from "../../src/directory/import/record.ts";
import { weekdays } from "../../src/directory/weekdays.ts";

/**
 * The opening hours of a normal week, with neither public nor school holidays, from the value of
 * OpenStreetMap's tag: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification.
 * @returns null when there is no such week: the hours follow the season or the sun, a day has no times or
 *   no end, they are words, or they say that the place never opens
 */
export function readWeek(value: string): Week | null {
  if (value.length > LONGEST_VALUE) return null;
  const known = read.get(value);
  if (known) return known.week;
  const week = quietly(() => parse(value));
  read.set(value, { week });
  return week;
}

type Week = NonNullable<ImportRecord["openingHours"]>;

const read = new LRUCache<string, { week: Week | null }>({ max: 10_000 });

/** OpenStreetMap itself keeps no longer ones, and to read them takes the library ever longer. */
const LONGEST_VALUE = 255;

/** The library writes its own failures to the terminal, with the value as it stands in the file. */
function quietly<Result>(work: () => Result): Result {
  const { error, warn } = console;
  console.error = () => {};
  console.warn = () => {};
  try {
    return work();
  } finally {
    Object.assign(console, { error, warn });
  }
}

type Interval = [from: Date, to: Date, isUnknown: boolean, comment: string | undefined];

function parse(value: string): Week | null {
  // Without coordinates the library takes fixed hours for sunrise and sunset.
  if (/\b(sunrise|sunset|dawn|dusk)\b/.test(value)) return null;
  // By the letter of the format these are open day and night, but who writes them does not know the times.
  if (value.split(";").some((rule) => ONLY_DAYS.test(rule))) return null;
  // The first and third Friday of a month.
  if (/\[[-\d, ]+\]/.test(value)) return null;
  const said = value.replace(/"[^"]*"/g, "");
  if ([...said.matchAll(BARE_HOURS)].some(isHalfOfDay)) return null;
  let hours: Hours;
  try {
    hours = withDays(new OpeningHours(normalise(value), ENGLAND));
  } catch {
    return null; // The library throws a string that explains the fault to the mapper.
  }
  try {
    const mondays = SAYS_MORE_THAN_DAYS.test(value) ? MONDAYS : MONDAYS.slice(0, 1);
    const weeks = mondays.map((monday) => weekFrom(hours, monday));
    // Whoever closes for a fortnight, as in January, has normal weeks all the same.
    const alike = Map.groupBy(weeks, (week) => JSON.stringify(week)).values();
    const [usual] = alike.find((same) => same.length >= weeks.length - 1) ?? [];
    return !usual || usual.every(({ isClosed }) => isClosed) ? null : usual;
  } catch {
    return null; // Holidays or sunrises that the library cannot place.
  }
}

/**
 * Bank holidays are public holidays; rules for school holidays do not touch a normal week, but what is
 * said of them and of other days at once holds on those. In "Mo-Fr 09:00-17:00 Sa 10:00-12:00" a
 * semicolon is missing: the library takes the last times for all.
 */
function normalise(value: string): string {
  return value
    .replace(/\bBH\b/g, "PH")
    .replace(SCHOOL_HOLIDAYS, "")
    .replace(MISSING_SEPARATOR, "$1; ")
    .split(";")
    .filter((rule) => !/^\s*SH\b/.test(rule))
    .join(";");
}

const ONLY_DAYS =
  /^\s*(?:(?:(?:Mo|Tu|We|Th|Fr|Sa|Su)[a-z]*[\s,-]*)+(?:PH\s*)?(?:open\s*)?|open\s*)$/;

/** Anything but days and times, such as a month or a year: only then may one week be unlike another. */
const SAYS_MORE_THAN_DAYS = /\b(?!(?:Mo|Tu|We|Th|Fr|Sa|Su|PH|BH|SH|off|closed)\b)\p{L}|\b\d{4}\b/iu;

/** Hours without minutes, which the library takes to be of 24, and no days of a month or weeks. */
const BARE_HOURS =
  /(?<![\d:.]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|week) ?[\d, -]*)([1-9]\d?) ?[-–] ?(\d{1,2})(?![\d:.]| ?[ap]\.?m)/gi;

/** Whether such hours may be of twelve: 9-5, and the 1-5 of an afternoon. */
function isHalfOfDay([, from, to]: RegExpExecArray): boolean {
  const [opens, closes] = [Number(from), Number(to)];
  if (opens > 12 || closes > 12) return false;
  return closes <= opens || opens < EARLIEST_OPENING;
}

/** The hour before which hardly anybody opens. */
const EARLIEST_OPENING = 6;

/** Among other days, as in "PH,SH off". */
const SCHOOL_HOLIDAYS =
  /(?<=\b(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\s*),\s*SH\b|\bSH\s*,\s*(?=(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b)/g;

/** White space after days and their times, before other days. */
const MISSING_SEPARATOR =
  /((?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b[^;"]*?(?:\d|off|closed))\s+(?=(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b)/g;

/**
 * By the letter of the format, "Th 18:00-02:00; Fr 18:00-04:00" closes on Thursday at midnight, since
 * the rule for Friday replaces all of Friday, and "18:00-02:00; Mo off" is open from midnight to two on
 * Tuesday. Nobody means that: the rule of the evening also holds for the night that follows, and only it.
 */
interface Hours {
  whole: OpeningHours;
  /** The same rules, but all of them end at midnight. */
  days: OpeningHours;
}

function withDays(whole: OpeningHours): Hours {
  const text = whole.prettifyValue();
  const withoutNights = text.replace(/(\d\d:\d\d)-(\d\d:\d\d)\+?/g, (span, from, to) =>
    to < from || to > "24:00" ? `${from}-24:00` : span,
  );
  return { whole, days: withoutNights === text ? whole : new OpeningHours(withoutNights, ENGLAND) };
}

/** For the dates of public holidays. */
const ENGLAND: nominatim_object = {
  lat: 52.6,
  lon: -1.5,
  address: { country_code: "gb", state: "England" },
};

/**
 * A Monday in each month of a year, without a public holiday, and without a change of clocks in Britain,
 * from MARGIN_DAYS before the week to as many after it.
 */
const MONDAYS = [
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

function weekFrom(hours: Hours, [year, month, day]: (typeof MONDAYS)[number]): Week | null {
  const at = (days: number) => new Date(year, month, day + days);
  // Some days more on each side, so that no interval of this week is cut.
  const intervals = hours.days.getOpenIntervals(at(-MARGIN_DAYS), at(7 + MARGIN_DAYS));
  if (intervals.some(isUnknownDay)) return null;

  const open = intervals
    .filter(([, , isUnknown]) => !isUnknown)
    .map((interval) => withNight(hours, interval))
    .flatMap(splitDays)
    .filter(([from]) => from >= at(0) && from < at(7));
  return Array.from({ length: 7 }, (_, index) => {
    const date = at(index);
    const name = weekdays[index] ?? "MONDAY";
    const ofDay = open.filter(([from]) => from >= date && from < at(index + 1));
    return ofDay.length === 0
      ? [{ day: name, isClosed: true }]
      : ofDay.map(([from, to]) =>
          isWholeDay(from, to)
            ? { day: name, is24Hours: true }
            : { day: name, openTime: timeOf(from), closeTime: timeOf(to) },
        );
  }).flat();
}

/** "22:00+" after known hours is a maybe at their end; without them the closing time is a guess. */
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

/** With the night that follows, by the rule of the evening alone: another may have opened the place. */
function withNight({ whole, days }: Hours, interval: Interval): Interval {
  const [from, to, ...rest] = interval;
  const evening = new Date(to.getTime() - MINUTE_MS);
  const rule = isMidnight(to) ? days.getMatchingRule(evening) : undefined;
  if (rule === undefined) return interval;
  const alone = new OpeningHours(whole.prettifyValue({ rule_index: rule }), ENGLAND);
  const end = new Date(to.getTime() + DAY_MS);
  const [night] = alone.getOpenIntervals(evening, end);
  return night && night[0] <= evening && night[1] > to && night[1] < end
    ? [from, night[1], ...rest]
    : interval;
}

/** Splits what is open for a day or longer into days; a night belongs to the day on which it began. */
function splitDays([from, to]: Interval): [Date, Date][] {
  if (to.getTime() - from.getTime() <= DAY_MS && !isMidnight(from)) return [[from, to]];
  const midnight = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
  if (to <= midnight) return [[from, to]];
  return [[from, midnight], ...splitDays([midnight, to, false, undefined])];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const isMidnight = (date: Date) => date.getHours() === 0 && date.getMinutes() === 0;
const isWholeDay = (from: Date, to: Date) =>
  isMidnight(from) && to.getTime() - from.getTime() >= DAY_MS;

const timeOf = (date: Date) =>
  `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
