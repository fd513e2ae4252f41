import type { OpeningHours } from "../directory/schemas.ts";
import { weekdays } from "../directory/weekdays.ts";

/** "unknown": nothing is said about the day. `until` is HH:MM, absent when open all day. */
type OpenState = { state: "open"; until?: string } | { state: "closed" } | { state: "unknown" };

/**
 * Whether a business with these hours is open, by the time of day in the United Kingdom. An interval
 * whose end is not after its beginning goes on into the next day.
 */
export function openState(hours: readonly OpeningHours[], now: Date): OpenState {
  const { day, time } = wallClock(now);
  const today = hours.filter((entry) => entry.day === weekdays[day]);
  const yesterday = hours.filter((entry) => entry.day === weekdays[(day + 6) % 7]);

  // Before the interval of last night, whose end would otherwise be shown as the time to close.
  if (today.some(isAllDay)) return { state: "open" };
  const late = yesterday.find((entry) => isPastMidnight(entry) && time < entry.closeTime);
  if (late) return { state: "open", until: late.closeTime };
  if (today.length === 0) return { state: "unknown" };
  const current = today.find(
    (entry) =>
      hasTimes(entry) &&
      entry.openTime <= time &&
      (isPastMidnight(entry) || time < entry.closeTime),
  );
  return current ? { state: "open", until: current.closeTime } : { state: "closed" };
}

/** Whether a day is open from midnight to midnight, in either of the two ways in which it may say so. */
export const isAllDay = ({ is24Hours, openTime, closeTime }: OpeningHours) =>
  is24Hours || (openTime === "00:00" && closeTime === "00:00");

/** MONDAY as it is written in a text. */
export const dayName = (day: OpeningHours["day"]) => day[0] + day.slice(1).toLowerCase();

/** The day of the week (0 is Monday) and the time as HH:MM. */
export function wallClock(now: Date): { day: number; time: string } {
  const parts = Object.fromEntries(
    clock.formatToParts(now).map(({ type, value }) => [type, value]),
  );
  const day = weekdays.indexOf(parts.weekday?.toUpperCase() as (typeof weekdays)[number]);
  return { day, time: `${parts.hour}:${parts.minute}` };
}

const clock = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/London",
  weekday: "long",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

const hasTimes = ({ openTime, closeTime }: OpeningHours) => openTime !== "" && closeTime !== "";

const isPastMidnight = (entry: OpeningHours) =>
  hasTimes(entry) && entry.closeTime <= entry.openTime;
