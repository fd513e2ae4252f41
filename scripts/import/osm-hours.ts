import { memoized } from "../../src/memoized.ts";
import { rangeOf } from "./clock-times.ts";
import { readEveryday } from "./everyday-hours.ts";
import { areUnclear } from "./osm-rules.ts";
import { MONDAYS, readRules, type Week, weekFrom } from "./osm-week.ts";

/**
 * The opening hours of a normal week, with neither public nor school holidays, from the value of
 * OpenStreetMap's tag: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification. Its rules may also be
 * as people write them: "Mon to Thurs 9am-noon, closed Sundays".
 * @returns null when there is no such week: the hours depend on the season or the sun, a day has no times or
 *   no end, they are other words, they may mean something else, or they say that the place never opens
 */
export function readWeek(value: string): Week | null {
  return value.length > LONGEST_VALUE ? null : read(value);
}

const read = memoized(10_000, (value) => {
  const rules = inNotation(value);
  return rules === null ? null : usualWeek(rules);
});

/** OpenStreetMap's own limit; beyond it the library takes ever longer. */
const LONGEST_VALUE = 255;

/** The rules in OpenStreetMap's strict notation, or null if one is neither that nor everyday text. */
function inNotation(value: string): string | null {
  const rules: string[] = [];
  for (const text of (value.match(PARTS) ?? []).map((part) => part.trim()).filter(Boolean)) {
    const rule = readEveryday(text) ?? readStrict(text);
    if (rule === null) return null;
    rules.push(isFurther(rule, rules.at(-1)) ? `${rules.pop()},${rule}` : rule);
  }
  return rules.join("; ");
}

/** Up to a semicolon or a single stroke. Two strokes are part of the notation. */
const PARTS = /(?:"[^"]*"|\|\||[^;|])+/g;

/**
 * "Mo-Sa 12:00-15:00; 18:00-22:00" has a semicolon for a comma: by the letter, every evening is open, even Sunday's.
 */
function isFurther(rule: string, before = ""): boolean {
  const [, opens = ""] = /^(\d\d:\d\d)-[\d:,-]+(?:;|$)/.exec(rule) ?? [];
  // Of weekdays, not of a date.
  const [, from = "", to = ""] =
    /(?:^|[;,] )(?:[MTWFSP][a-z,-]+ )?[\d:,-]*(\d\d:\d\d)-(\d\d:\d\d)$/i.exec(before) ?? [];
  return from !== "" && from <= to && to <= opens;
}

/** Rules with what everyday text lacks: months, years, comments or open ends. */
function readStrict(text: string): string | null {
  const rule = text
    .replace(COMMENTS, '"x"') // What they say does not matter, and the library may print it unescaped.
    .replace(/(^|,\s*)SH\b(?!\s*:?\s*[a-z]{2}\b)/gi, "$1PH") // Not if it is for certain days.
    .replace(/\d?\d:\d\d\s*-\s*\d?\d:\d\d/g, (range) => rangeOf(range) ?? "?");
  // Each open end doubles the time that the library takes to read the rule.
  const openEnds = rule.split("+").length - 1;
  return NOTATION.test(rule) && openEnds <= MOST_OPEN_ENDS ? rule : null;
}

const COMMENTS = /\s*"[^"]*"/g;
/** As in 18:00+. */
const MOST_OPEN_ENDS = 8;

const MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
const DATE = String.raw`\d{4}|easter(?:\s*[-+]\d+ days?)?|(?:${MONTH}|week)(?:[\s,-]*\d\d?(?!\d|:\d))*`;
const DAYS = String.raw`(?:(?:${DATE}|Mo|Tu|We|Th|Fr|Sa|Su|PH)\b[\s,:-]*)*`;
const TIME = String.raw`\d\d:[0-5]\d(?:-\d\d:[0-5]\d)?\+?`;
const TIMES = String.raw`${TIME}(?:\s*,\s*${TIME})*(?:\s*(?:off|closed))?`;
/** Not days alone: by the letter they are open day and night, but those who write them do not know the times. */
const RULE = String.raw`${DAYS}(?:${TIMES}|off|closed|(?="x"))\s*(?:"x"\s*)?`;
const NOTATION = new RegExp(String.raw`^${RULE}(?:(?:,\s*(?=[a-z"])|\|\|\s*)${RULE})*$`, "i");

function usualWeek(rules: string): Week | null {
  try {
    const hours = readRules(rules);
    if (areUnclear(hours.text.replace(COMMENTS, ""))) return null;
    const mondays = SAYS_MORE_THAN_DAYS.test(rules) ? MONDAYS : MONDAYS.slice(0, 1);
    const weeks = mondays.map((monday) => weekFrom(hours, monday));
    // A business that closes for a fortnight, say in January, still has normal weeks.
    const alike = Map.groupBy(weeks, (week) => JSON.stringify(week)).values();
    const [usual] = alike.find((same) => same.length >= weeks.length - 1) ?? [];
    return !usual || usual.every(({ isClosed }) => isClosed) ? null : usual;
  } catch {
    return null; // Rules that the library cannot read, or holidays that it cannot place.
  }
}

/** Anything but days and times, such as a month or a year: only then can weeks differ. */
const SAYS_MORE_THAN_DAYS = /\b(?!(?:Mo|Tu|We|Th|Fr|Sa|Su|PH|off|closed)\b)\p{L}|\b\d{4}\b/iu;
