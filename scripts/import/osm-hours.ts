import { remembered } from "../../src/remembered.ts";
import { areUnclear } from "./osm-rules.ts";
import { MONDAYS, readRules, type Week, weekFrom } from "./osm-week.ts";
import { inUsualForm, TIME } from "./osm-words.ts";

/**
 * The opening hours of a normal week, with neither public nor school holidays, from the value of
 * OpenStreetMap's tag: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification.
 * @returns null when there is no such week: the hours depend on the season or the sun, a day has no times or
 *   no end, they are words, they may mean something else, or they say that the place never opens
 */
export function readWeek(value: string): Week | null {
  return value.length > LONGEST_VALUE ? null : read(value);
}

const read = remembered(10_000, (value) => quietly(() => parse(inUsualForm(value))));

/** OpenStreetMap's own limit; beyond it the library takes ever longer. */
const LONGEST_VALUE = 255;

/** The library prints its failures to the terminal, with the unescaped value. */
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

function parse(value: string): Week | null {
  // The first and third Friday of a month.
  if (/\[[-\d, ]+\]/.test(value)) return null;
  const said = withoutComments(value);
  // To the library this is day and night, but a pub that is open all day has no break in the afternoon.
  if (/\ball day\b/i.test(said)) return null;
  if ([...said.matchAll(BARE_HOURS)].some(isHalfOfDay)) return null;
  const spans = [...said.matchAll(SPAN)];
  if ([endsAsItBegins, lacksHalf, confusesNoon].some((isUnclear) => spans.some(isUnclear))) {
    return null;
  }
  // Each open end in a rule doubles the time the library takes to read it.
  if (said.split(";").some((rule) => rule.split("+").length - 1 > MOST_OPEN_ENDS)) return null;
  try {
    const hours = readRules(normalise(value));
    if (areUnclear(withoutComments(hours.text))) return null;
    const mondays = SAYS_MORE_THAN_DAYS.test(value) ? MONDAYS : MONDAYS.slice(0, 1);
    const weeks = mondays.map((monday) => weekFrom(hours, monday));
    // A business that closes for a fortnight, say in January, still has normal weeks.
    const alike = Map.groupBy(weeks, (week) => JSON.stringify(week)).values();
    const [usual] = alike.find((same) => same.length >= weeks.length - 1) ?? [];
    return !usual || usual.every(({ isClosed }) => isClosed) ? null : usual;
  } catch {
    return null; // Rules that the library cannot read, or holidays or sunrises that it cannot place.
  }
}

const withoutComments = (text: string) => text.replace(/"[^"]*"/g, "");

/**
 * Rules for school holidays do not affect a normal week, but a rule for school holidays and other days applies on
 * those. "Mo-Fr 09:00-17:00 Sa 10:00-12:00" lacks a semicolon, and the library would apply the last times to all
 * days. "Mo-Sa 12:00-15:00; 18:00-22:00" has a semicolon for a comma: by the letter, every evening is open, even
 * Sunday's.
 */
function normalise(value: string): string {
  return (
    value
      .replace(SPAN, withMinutes)
      .replace(SCHOOL_HOLIDAYS, "")
      .replace(MISSING_SEPARATOR, "$1; ")
      .replace(
        FURTHER_TIMES,
        (separated, span: string, opened: string, closes: string, opens: string) =>
          isInOrder(opened, closes, opens) ? `${span},` : separated,
      )
      .split(";")
      .filter((rule) => !/^\s*SH\b/i.test(rule))
      .join(";")
      // Each of these would double the time the library takes.
      .replace(/^[\s;]+/, "")
  );
}

/** Anything but days and times, such as a month or a year: only then can weeks differ. */
const SAYS_MORE_THAN_DAYS = /\b(?!(?:Mo|Tu|We|Th|Fr|Sa|Su|PH|SH|off|closed)\b)\p{L}|\b\d{4}\b/iu;

/**
 * A range that begins or ends with no leading zero, with or without minutes: the library reads it as 24-hour times.
 * Not the days of a month, or weeks.
 */
const BARE_HOURS =
  /(?<![\d:.]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|week) ?[\d, -]*)([1-9]\d?(?:[:.]\d\d)?|0\d[:.]\d\d(?= ?- ?[1-9](?!\d))) ?- ?(\d{1,2}|[1-9]\d?[:.]\d\d)(?![\d:]|\.\d| ?[ap]\.?m)/gi;

/**
 * Whether such hours may be 12-hour times: 9-5, 9:00-5:30, the 1-5 of an afternoon, the 6-11 of an evening, or 8-10,
 * early until late.
 */
function isHalfOfDay([, from = "", to = ""]: RegExpExecArray): boolean {
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  if (closes >= 13 * 60) return false;
  // 13:30-5:30 in the afternoon, but not 18:00-2:00.
  if (opens >= 13 * 60) return closes + NOON > opens;
  return (
    closes <= opens ||
    opens < EARLIEST_OPENING ||
    // With a colon, times are usually of 24 hours; but an evening may begin at 6:00 or 7:00.
    (closes < NOON && (opens < 8 * 60 || !from.includes(":")))
  );
}

/** Minutes since midnight; hardly anybody opens before. */
const EARLIEST_OPENING = 6 * 60;
const NOON = 12 * 60;

/** A range of times, both captured. */
const SPAN = new RegExp(`(?<!\\d)(${TIME})\\s*-\\s*(${TIME})`, "gi");

/**
 * As in 11:00-11:00, which by the letter is day and night. A place that never closes is written from midnight, so
 * this may be 12-hour times. Bare numbers are left alone: they may be days of a month.
 */
function endsAsItBegins([span, from = "", to = ""]: RegExpExecArray): boolean {
  const begins = minutesOf(from);
  return /[:.m]/i.test(span) && begins > 0 && begins === minutesOf(to);
}

/** 9am-5.30pm as 9:00am-5.30pm: the library reads minutes only if both times have them. */
function withMinutes(span: string): string {
  return /[:.]\d/.test(span) ? span.replace(/(?<![\d:.])\d\d?(?![\d:.])/g, "$&:00") : span;
}

/**
 * Whether only one of two times says am or pm, and the other may mean another than the library takes it for: 4-10pm,
 * 1:30-5pm or 9am-5. But 9-5pm, 12-3pm and 9am-12 are clear: each makes sense in one way only.
 */
function lacksHalf([, from = "", to = ""]: RegExpExecArray): boolean {
  const bare = [from, to].filter((time) => !/m/i.test(time));
  if (bare.length !== 1 || !/^([1-9]|1[0-2])(?!\d)/.test(bare[0] ?? "")) return false;
  const readings = ["am", "pm"]
    .map((half) => [from, to].map((time) => minutesOf(bare.includes(time) ? time + half : time)))
    .filter(([opens = 0, closes = 0]) => opens >= EARLIEST_OPENING && closes > opens);
  return readings.join() !== [from, to].map(minutesOf).join();
}

/**
 * As in 12am-3pm and 12.30am-11pm, which by the letter are from midnight, and 5pm-12pm, which is until noon. Whole
 * days end later: 12:00 AM - 11:59 PM.
 */
function confusesNoon([, from = "", to = ""]: RegExpExecArray): boolean {
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  const isFromMidnight = /a/i.test(from) && opens < 60 && closes < 24 * 60 - 1;
  return /p/i.test(to) && (isFromMidnight || closes < opens);
}

/** Since midnight. */
function minutesOf(time: string): number {
  const [, hours, minutes = 0, half] = /(\d+)(?:[:.](\d+))?\s?([ap])?/i.exec(time) ?? [];
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours);
  return hour * 60 + Number(minutes);
}

/** In one rule; as in 18:00+. */
const MOST_OPEN_ENDS = 8;

/** School holidays among other days, as in "PH,SH off". */
const SCHOOL_HOLIDAYS =
  /(?<=\b(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\s*),\s*SH\b|\bSH\s*,\s*(?=(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b)/gi;

/** White space after days and their times, or that they are closed, before other days. */
const MISSING_SEPARATOR =
  /((?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b(?:[\s:]*(?:off|closed)|[^;"]*?\d(?:\s?[ap]\.?m\.?)?))\s+(?=(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b)/gi;

/** Times, of certain days or of all, a semicolon, and times without days; captures the last range and the next time. */
const FURTHER_TIMES = new RegExp(
  `(?<=(?:^|\\b(?:Mo|Tu|We|Th|Fr|Sa|Su|PH))[\\dapm.:,;\\s-]*)(${SPAN.source})\\s*;\\s*(?=(${TIME})\\s*-\\s*${TIME}\\s*(?:[,;]|$))`,
  "gi",
);

/** Whether each time is no earlier than the one before it. After a closing past midnight, none can be. */
function isInOrder(...times: string[]): boolean {
  const minutes = times.map(minutesOf);
  return minutes.every((minute, place) => minute >= (minutes[place - 1] ?? 0));
}
