import type { OpeningHours } from "../directory/schemas.ts";
import { weekdays } from "../directory/weekdays.ts";

/**
 * "unknown": the day has no entry. `until` is text such as "23:00", absent when it does not close within a
 * week; `opens` is text such as "tomorrow at 09:00", absent when no opening within a week is known.
 */
type OpenState =
  | { state: "open"; until?: string }
  | { state: "closed"; opens?: string }
  | { state: "unknown" };

/**
 * Whether a business with these hours is open, by the time of day in the United Kingdom. An interval
 * whose end is not after its beginning continues into the next day.
 */
export function openState(hours: readonly OpeningHours[], now: Date): OpenState {
  const { day, minute: at } = wallClock(now);
  const entriesOf = (ahead: number) =>
    hours.filter((entry) => entry.day === weekdayOf(day + ahead));

  const spans = daysAhead
    .flatMap((ahead) => entriesOf(ahead).flatMap((entry) => spanOf(entry, ahead)))
    .sort((one, other) => one.start - other.start);
  // Spans that overlap or touch are merged.
  const end = spans.reduce((end, span) => (span.start <= end ? Math.max(end, span.end) : end), at);
  if (end >= at + A_WEEK) return { state: "open" };
  if (end > at) return { state: "open", until: closing(end, at, day) };

  // From the first day without an entry, nothing is known.
  const unknown =
    daysAhead.find((ahead) => ahead >= 0 && entriesOf(ahead).length === 0) ?? daysAhead.length;
  if (unknown === 0) return { state: "unknown" };
  const next = spans.find(({ start }) => start > at && start < unknown * A_DAY);
  return next ? { state: "closed", opens: opening(next.start, day) } : { state: "closed" };
}

/** Days from yesterday, whose night may not be over, to a week from today. */
const daysAhead = [-1, 0, 1, 2, 3, 4, 5, 6, 7];

/** Minutes. */
const A_DAY = 1_440;
const A_WEEK = 7 * A_DAY;

/** The open span of an entry so many days ahead, in minutes since today's midnight; none when it is closed. */
function spanOf(entry: OpeningHours, ahead: number): { start: number; end: number }[] {
  const midnight = ahead * A_DAY;
  if (isAllDay(entry)) return [{ start: midnight, end: midnight + A_DAY }];
  const { openTime, closeTime } = entry;
  if (openTime === "" || closeTime === "") return [];
  const end = midnight + minuteOf(closeTime) + (closeTime <= openTime ? A_DAY : 0);
  return [{ start: midnight + minuteOf(openTime), end }];
}

/** Names the day only if the clock will show that time before then. */
function closing(minute: number, now: number, today: number): string {
  return minute < now + A_DAY
    ? spoken(timeOf(minute))
    : `${dayAt(minute, today)} at ${timeOf(minute)}`;
}

function opening(minute: number, today: number): string {
  if (minute === A_DAY) return "at midnight";
  const at = `at ${timeOf(minute)}`;
  if (minute < A_DAY) return at;
  return minute < 2 * A_DAY ? `tomorrow ${at}` : `on ${dayAt(minute, today)} ${at}`;
}

const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The time of day, given minutes since a midnight. */
function timeOf(minute: number): string {
  const [hours, minutes] = [Math.floor((minute % A_DAY) / 60), minute % 60];
  return [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
}

const weekdayOf = (day: number) => weekdays[(day + 7) % 7] as OpeningHours["day"];

const dayAt = (minute: number, today: number) =>
  dayName(weekdayOf(today + Math.floor(minute / A_DAY)));

/** Midnight as a word, since 00:00 could mean either end of the day. */
export const spoken = (time: string) => (time === "00:00" ? "midnight" : time);

/** Whether an entry is open from midnight to midnight, which can be written in two ways. */
export const isAllDay = ({ is24Hours, openTime, closeTime }: OpeningHours) =>
  is24Hours || (openTime === "00:00" && closeTime === "00:00");

/** MONDAY as written in prose: Monday. */
export const dayName = (day: OpeningHours["day"]) => day[0] + day.slice(1).toLowerCase();

/** The day of the week (0 is Monday) and the minutes since its midnight. */
export function wallClock(now: Date): { day: number; minute: number } {
  const { dayOfWeek, hour, minute } = now.toTemporalInstant().toZonedDateTimeISO("Europe/London");
  return { day: dayOfWeek - 1, minute: 60 * hour + minute };
}
