import { weekdaysOf } from "../../src/directory/opening-hours.ts";
import type { OpeningHours } from "../../src/directory/schemas.ts";
import { weekdays } from "../../src/directory/weekdays.ts";

/**
 * Whether rules do not say what those who wrote them mean.
 * @param text as the library writes them: "Mo-Fr 09:00-17:00" for "Weekdays 9am-5pm"; without comments
 */
export function areUnclear(text: string): boolean {
  return (
    // These vary with the season and the place, so there is no normal week.
    /\b(sunrise|sunset|dawn|dusk)\b/.test(text) ||
    text.split(/[;|] ?|, /).some((rule) => ONLY_DAYS.test(rule) || RUN_TOGETHER.test(rule)) ||
    text.split("; ").some(isReplaced) ||
    text.split(/[;,] /).some(closesNothing)
  );
}

const DAYS = String.raw`\S*(?:Mo|Tu|We|Th|Fr|Sa|Su)\S*`;

/**
 * Days or years without times: "Mo-Fr" for "Weekdays", or 2000-2300 for evenings. By the letter of the format these
 * are open day and night, but those who write them do not know the times.
 */
const ONLY_DAYS = new RegExp(
  `^(?:\\d{4}(?:-\\d{4})?|(?:\\d{4}(?:-\\d{4})? )?${DAYS}(?: ${DAYS})*(?: open)?|open)$`,
);

/**
 * Two rules between which the library has missed a border: "Mo-Fr 09:00-17:00 closed Sa,Su". It applies all of their
 * times, or that they are closed, to all of their days.
 */
const RUN_TOGETHER = /(?::\d\d|off|closed) (?:Mo|Tu|We|Th|Fr|Sa|Su|\d\d:)/;

/**
 * Whether later rules replace a rule on all of its days: "Tu-Sa 12:00-14:00; Mo-Sa 17:00-22:00". By the letter of the
 * format only the evenings count, but then nobody would write the first rule.
 */
function isReplaced(rule: string, place: number, all: readonly string[]): boolean {
  // Closed at lunch replaces nothing.
  const replacing = all.slice(place + 1).filter((other) => !CLOSED_AT_TIMES.test(other));
  const later = new Set(replacing.flatMap(daysOf));
  const days = /(?::\d\d|off|closed)$/.test(rule) ? daysOf(rule) : [];
  return days.length > 0 && days.every((day) => later.has(day));
}

/**
 * Whether a rule closes at times of days that no earlier rule opens: "Mo-Fr 09:00-17:00 closed; Sa off". Those who
 * write it mean that the place is open then.
 */
function closesNothing(rule: string, place: number, all: readonly string[]): boolean {
  const days = CLOSED_AT_TIMES.test(rule) ? daysOf(rule) : [];
  const earlier = all.slice(0, place).map(daysOf);
  return days.length > 0 && earlier.every((others) => others.length > 0 && !share(days, others));
}

const CLOSED_AT_TIMES = /:\d\d (off|closed)$/;

const share = (days: readonly Day[], others: readonly Day[]) =>
  days.some((day) => others.includes(day));

type Day = OpeningHours["day"];

/** The weekdays that a rule is for; none if it is also for months, or only for holidays. */
function daysOf(rule: string): readonly Day[] {
  if (/^\d\d:/.test(rule)) return weekdays;
  const [, days] = /^((?:(?:Mo|Tu|We|Th|Fr|Sa|Su)[-,]?)+)(?:PH)? /.exec(rule) ?? [];
  return days?.split(",").filter(Boolean).flatMap(weekdaysOf) ?? [];
}
