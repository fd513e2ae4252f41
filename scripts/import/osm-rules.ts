import { weekdaysOf } from "../../src/directory/opening-hours.ts";
import type { OpeningHours } from "../../src/directory/schemas.ts";
import { weekdays } from "../../src/directory/weekdays.ts";

/**
 * Whether rules do not say what those who wrote them mean.
 * @param text as the library writes them, without comments
 */
export function areUnclear(text: string): boolean {
  const separate = text.split("; ");
  return (
    separate.some(isReplaced) ||
    separate.some((rules) => rules.split(", ").some(overlaps)) ||
    text.split(/[;,|] /).some(overlapsItself) ||
    text.split(/[;,] /).some(closesNothing)
  );
}

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
 * Whether the times of a rule after a comma overlap earlier ones: "Mo-Sa 09:00-17:30, We 09:00-13:00". By the letter
 * of the format both hold, so Wednesday is as long as the others, but people mean that it is shorter. Times that
 * include the earlier ones, as those of late opening do, mean the same either way.
 */
function overlaps(rule: string, place: number, all: readonly string[]): boolean {
  const earlier = all
    .slice(0, place)
    .filter((other) => share(daysOf(rule), daysOf(other)))
    .flatMap(spansOf);
  return spansOf(rule).some(([opens, closes]) =>
    earlier.some(([from, to]) => from < closes && opens < to && (from < opens || closes < to)),
  );
}

/** Whether some times of a rule overlap: "12:00-23:00,12:00-22:30" may be those of two days. */
function overlapsItself(rule: string): boolean {
  const ordered = spansOf(rule).toSorted();
  return ordered.some(([opens], place) => opens < (ordered[place - 1]?.[1] ?? ""));
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

/** The times at which a rule opens and closes: 25:00 an hour past midnight. */
function spansOf(rule: string): [string, string][] {
  if (CLOSED_AT_TIMES.test(rule)) return [];
  if (/ (off|closed)$/.test(rule)) return [["00:00", "24:00"]];
  return [...rule.matchAll(/(\d\d:\d\d)-(\d\d)(:\d\d)/g)].map(([, from = "", hour, minute]) => {
    const to = `${hour}${minute}`;
    return [from, to > from ? to : `${Number(hour) + 24}${minute}`];
  });
}
