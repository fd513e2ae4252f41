import type { ComponentChildren } from "preact";
import type { OpeningHours } from "../directory/schemas.ts";
import { weekdays } from "../directory/weekdays.ts";
import { dayName, isAllDay, openState, spoken, wallClock } from "./opening.ts";

/** The opening hours day by day, and whether the business is open now. */
export function Hours({ hours, now }: { hours: readonly OpeningHours[]; now: Date }) {
  const open = openState(hours, now);
  const today = wallClock(now).day;
  const words = {
    open: "until" in open ? `Open now, until ${open.until}` : "Open now, all day",
    closed: "opens" in open ? `Closed now, opens ${open.opens}` : "Closed now",
    unknown: hours.length === 0 ? "Opening hours are not known" : "Not known whether open today",
  };
  return (
    <section class="card">
      <h2>Opening hours</h2>
      <p class={`state ${open.state}`}>{words[open.state]}</p>
      {hours.length > 0 && (
        <table class="hours">
          <caption class="unseen">Opening hours by day</caption>
          <tbody>
            {weekdays.map((day, index) => (
              <tr key={day} class={index === today ? "today" : ""}>
                <th scope="row">
                  {dayName(day)}
                  {index === today && <span class="unseen"> (today)</span>}
                </th>
                <td>{describeDay(hours.filter((entry) => entry.day === day))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function describeDay(entries: readonly OpeningHours[]): ComponentChildren {
  if (entries.length === 0) return "not known";
  if (entries.some(isAllDay)) return "open 24 hours";
  const spans = entries.filter(({ isClosed }) => !isClosed);
  if (spans.length === 0) return "closed";
  return spans.map(({ openTime, closeTime }, place) => [
    place > 0 && " ",
    <span key={openTime} class="interval">
      {spoken(openTime)} to {spoken(closeTime)}
      {place < spans.length - 1 && ","}
    </span>,
  ]);
}
