/**
 * From one time to another as people write them, such as 9.30am-5pm or 9-17, in OpenStreetMap's notation: 09:30-17:00.
 * @returns null when they may mean something else
 */
export function rangeOf(range: string): string | null {
  const [from = "", to = ""] = range.split(/\s*-\s*/);
  return isClear(from, to) ? `${inDigits(minutesOf(from))}-${inDigits(minutesOf(to))}` : null;
}

/**
 * Whether times mean what they say. By the letter, 11:00-11:00 is day and night, 12am-3pm from midnight, and 5pm-12pm
 * until noon. Where one lacks am or pm, 9-5pm, 12-3pm and 9am-12 are clear, since each makes sense in one way only;
 * 4-10pm, 1:30-5pm, 9am-5 and 10-2am are not. Where both do, they are of 24 hours, unless they may be the 9-5 or
 * 9:00-5:30 of a day, the 1-5 of an afternoon, the 6-11 of an evening, or 8-10, early until late.
 */
function isClear(from: string, to: string): boolean {
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  if (opens === closes) return opens === 0;
  if (/p/i.test(to) && closes < opens) return false;
  // 09:00-05:30 and 9am-5am: nobody closes that late in the night, and opens again that early.
  if (closes >= 5 * 60 && closes < opens && opens < 10 * 60) return false;
  // But 12:00 AM - 11:59 PM is a whole day.
  if (/p/i.test(to) && /a/i.test(from) && opens < 60) return closes >= 24 * 60 - 1;

  const bare = [from, to].filter((time) => !/m/i.test(time));
  if (bare.length === 0) return true;
  if (bare.length === 1) {
    if (!/^([1-9]|1[0-2])(?!\d)/.test(bare.join())) return true;
    const readings = ["am", "pm"]
      .map((half) => [from, to].map((time) => minutesOf(bare.includes(time) ? time + half : time)))
      .filter(([opens = 0, closes = 0]) => opens >= EARLIEST_OPENING && closes > opens);
    return readings.join() === [opens, closes].join();
  }
  // 18:00-02:00 and 05-11, but not 09:00-5:30.
  if (/^0\d?[:.]/.test(to) || (from.startsWith("0") && /^\d\d/.test(to))) return true;
  if (closes >= 13 * 60) return true;
  // 18:00-2:00, but not the 13:30-5:30 of an afternoon.
  if (opens >= 13 * 60) return closes + NOON <= opens;
  // With a colon, times are usually of 24 hours; but an evening may begin at 6:00 or 7:00.
  const earliest = closes >= NOON ? EARLIEST_OPENING : from.includes(":") ? 8 * 60 : NOON;
  return opens >= earliest && closes > opens;
}

/** Minutes since midnight; hardly anybody opens before. */
const EARLIEST_OPENING = 6 * 60;
const NOON = 12 * 60;

/** Since midnight. */
function minutesOf(time: string): number {
  const [, hours, minutes, half] = /(\d+)(?:[:.](\d+))?\s*([ap])?/i.exec(time) ?? [];
  // Some write 17:00pm.
  const isOf12 = half !== undefined && Number(hours) <= 12;
  const hour = isOf12 ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours);
  return hour * 60 + Number(minutes ?? 0);
}

const inDigits = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
