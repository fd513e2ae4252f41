import type { Transaction } from "../store/postgres.ts";
import type { OpeningHours } from "./schemas.ts";
import { weekdays } from "./weekdays.ts";

/**
 * Opening hours as the database keeps them (see sql/015_opening_hours.sql, and for how they are checked 020
 * and 024): one text, a tenth of its size as JSON. It is written as in OpenStreetMap, such as `Mo-Fr
 * 09:00-13:00,14:00-17:30; Sa 00:00-24:00; Su off`, and keeps the order of the entries.
 * https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification
 */
export function formatOpeningHours(entries: readonly OpeningHours[]): string {
  const days: { day: number; hours: string }[] = [];
  for (const entry of entries) {
    const day = weekdays.indexOf(entry.day);
    const last = days.at(-1);
    if (last?.day === day) last.hours += `,${formatSpan(entry)}`;
    else days.push({ day, hours: formatSpan(entry) });
  }
  const rules: { first: number; last: number; hours: string }[] = [];
  for (const { day, hours } of days) {
    const rule = rules.at(-1);
    if (rule?.hours === hours && rule.last === day - 1) rule.last = day;
    else rules.push({ first: day, last: day, hours });
  }
  return rules
    .map(({ first, last, hours }) => {
      const days = first === last ? shortDays[first] : `${shortDays[first]}-${shortDays[last]}`;
      return `${days} ${hours}`;
    })
    .join("; ");
}

/** The entries of such a text. It is not validated, since the database accepts no other. */
export function parseOpeningHours(text: string): OpeningHours[] {
  if (text === "") return [];
  return text.split("; ").flatMap((rule) => {
    const [days = "", hours = ""] = rule.split(" ");
    const spans = hours.split(",").map(parseSpan);
    return weekdaysOf(days).flatMap((day) => spans.map((span) => ({ day, ...span })));
  });
}

/** Whether a text is in this form: the rule of the database, see sql/020_hours_by_statement.sql. */
export const isOpeningHours = (text: string) => text === "" || WEEK.test(`${text}; `);

const shortDays = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
const CLOSED = "off";
const ALL_DAY = "00:00-24:00";

const DAY = `(${shortDays.join("|")})`;
const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";
const SPAN = `(${CLOSED}|${ALL_DAY}|${TIME}-${TIME})`;
const WEEK = new RegExp(`^(${DAY}(-${DAY})? ${SPAN}(,${SPAN})*; )+$`);

/** The days of `Mo` or `Mo-Fr`. `Fr-Mo` wraps around the end of the week. */
export function weekdaysOf(text: string): OpeningHours["day"][] {
  const [first = 0, last = first] = text.split("-").map((day) => shortDays.indexOf(day));
  const week = [...weekdays, ...weekdays];
  return week.slice(first, last < first ? last + 8 : last + 1);
}

function formatSpan({ openTime, closeTime, isClosed, is24Hours }: OpeningHours): string {
  if (isClosed) return CLOSED;
  return is24Hours ? ALL_DAY : `${openTime}-${closeTime}`;
}

function parseSpan(span: string): Omit<OpeningHours, "day"> {
  const isClosed = span === CLOSED;
  const is24Hours = span === ALL_DAY;
  const [openTime = "", closeTime = ""] = isClosed || is24Hours ? [] : span.split("-");
  return { openTime, closeTime, isClosed, is24Hours };
}

/**
 * How many businesses have hours in another form, which triggers prevent. Each distinct text is checked once.
 */
export async function countWrongHours(transaction: Transaction): Promise<number> {
  const [{ count }] = await transaction<[{ count: number }]>`
    with kept as materialized (
      select opening_hours, count(*) as count from businesses group by opening_hours
    )
    select coalesce(sum(count), 0)::integer as count
    from kept where not is_opening_hours(opening_hours)`;
  return count;
}
