import { parseOpeningHours } from "../../src/directory/opening-hours.ts";
import type { OpeningHours } from "../../src/directory/schemas.ts";
import type { Random } from "./random.ts";

/**
 * The weekly hours that a kind of business may have, in the directory's format, except that unnamed days
 * are closed. An empty week means that the hours are not known.
 */
const weeks = {
  none: [""],
  always: ["Mo-Su 00:00-24:00", "Mo-Su 00:00-24:00", ""],
  office: [
    "Mo-Fr 09:00-17:00",
    "Mo-Fr 09:00-17:30",
    "Mo-Th 09:00-17:30; Fr 09:00-17:00",
    "Mo-Fr 09:00-13:00,14:00-17:00",
    "Mo-Fr 08:30-17:30; Sa 09:00-12:00",
  ],
  office7: [
    "Mo-Fr 09:00-17:30; Sa 09:00-16:00",
    "Mo-Fr 09:00-18:00; Sa 09:00-17:00; Su 10:00-14:00",
  ],
  shop: [
    "Mo-Sa 09:00-17:30",
    "Mo-Sa 09:30-17:00",
    "Tu-Sa 10:00-17:00",
    "Mo-Sa 09:00-17:30; Su 10:30-16:30",
    "Mo-Tu 09:00-17:00; We 09:00-13:00; Th-Sa 09:00-17:00",
    "Mo-Fr 09:00-13:00,14:00-17:00; Sa 09:00-13:00",
  ],
  sevenday: [
    "Mo-Sa 09:00-18:00; Su 10:00-16:00",
    "Mo-Fr 09:00-20:00; Sa 09:00-18:00; Su 10:30-16:30",
    "Mo-Sa 09:30-17:30; Su 11:00-17:00",
  ],
  weekend: ["Th-Su 10:00-17:00", "Fr-Sa 10:00-16:30; Su 11:00-16:00"],
  early: [
    "Mo-Fr 07:00-15:00; Sa 07:30-14:00",
    "Mo-Sa 06:30-16:00",
    "Mo-Sa 05:30-17:30; Su 06:00-13:00",
    "Tu-Sa 08:00-16:00",
  ],
  convenience: [
    "Mo-Su 07:00-22:00",
    "Mo-Su 06:00-23:00",
    "Mo-Sa 07:00-22:00; Su 10:00-16:00",
    "Mo-Sa 08:00-20:00; Su 09:00-18:00",
    "Mo-Su 00:00-24:00",
  ],
  late: [
    "Mo-Su 10:00-22:00",
    "Mo-Th 12:00-22:00; Fr-Sa 12:00-00:00; Su 12:00-21:00",
    "Mo-Sa 08:30-21:30; Su 10:00-20:00",
  ],
  cafe: [
    "Mo-Fr 08:00-16:00; Sa 09:00-16:00",
    "Mo-Su 09:00-17:00",
    "Tu-Sa 09:00-16:30; Su 10:00-15:00",
    "Mo-Fr 07:30-17:00; Sa-Su 08:30-17:00",
  ],
  restaurant: [
    "Tu-Sa 12:00-14:30,17:30-22:00; Su 12:00-16:00",
    "We-Sa 12:00-14:00,18:00-21:30; Su 12:00-15:30",
    "Mo-Th 12:00-22:00; Fr-Sa 12:00-23:00; Su 12:00-21:00",
    "Tu-Su 12:00-15:00,17:00-22:30",
  ],
  evening: [
    "Tu-Th 17:00-22:30; Fr-Sa 17:00-23:30; Su 17:00-22:00",
    "Mo-Su 12:00-14:30,17:30-23:00",
    "We-Mo 17:00-23:00",
    "Mo-Th 12:00-22:00; Fr-Sa 12:00-00:30; Su 13:00-21:30",
  ],
  takeaway: [
    "Mo-Sa 11:30-14:00,16:30-22:00; Su 16:30-21:30",
    "Tu-Su 16:30-23:00",
    "Mo-Th 16:00-00:00; Fr-Sa 16:00-03:00; Su 16:00-23:30",
    "Mo-Sa 11:30-13:45,16:30-21:00",
    "We-Mo 17:00-23:30",
  ],
  pub: [
    "Mo-Su 11:00-23:00",
    "Mo-Th 12:00-23:00; Fr-Sa 12:00-00:30; Su 12:00-22:30",
    "Mo-Th 16:00-23:00; Fr 15:00-01:00; Sa 12:00-01:00; Su 12:00-22:00",
    "Tu-Fr 12:00-15:00,17:30-23:00; Sa-Su 12:00-23:00",
  ],
  bar: [
    "We-Th 17:00-00:00; Fr-Sa 16:00-02:00; Su 16:00-23:00",
    "Mo-Th 16:00-00:00; Fr-Sa 12:00-03:00; Su 14:00-23:00",
    "Mo-Su 14:00-04:00",
  ],
  club: ["Fr-Sa 22:00-04:00", "Th-Sa 22:30-03:30", "We 21:00-02:00; Fr-Sa 21:00-05:00"],
  salon: [
    "Tu-We 09:00-17:30; Th-Fr 09:00-20:00; Sa 08:30-16:00",
    "Tu-Sa 09:00-17:30",
    "Mo-Fr 09:30-18:00; Sa 09:00-17:00",
    "We 10:00-19:00; Th-Sa 09:00-17:00",
  ],
  surgery: [
    "Mo-Fr 08:00-18:30",
    "Mo-Fr 08:30-13:00,14:00-17:30",
    "Mo-Th 08:30-18:00; Fr 08:30-16:00; Sa 09:00-12:00",
  ],
  pharmacy: [
    "Mo-Fr 09:00-18:00; Sa 09:00-13:00",
    "Mo-Fr 09:00-13:00,14:00-17:30; Sa 09:00-17:00",
    "Mo-Sa 08:00-23:00; Su 10:00-16:00",
  ],
  trade: [
    "Mo-Fr 08:00-17:00",
    "Mo-Fr 08:00-18:00; Sa 08:00-13:00",
    "Mo-Sa 07:30-17:30",
    "Mo-Fr 08:30-17:30; Sa 08:30-12:30",
    "",
  ],
  emergency: ["Mo-Su 00:00-24:00", "Mo-Fr 00:00-24:00; Sa-Su 08:00-20:00", "Mo-Su 07:00-23:00"],
  dealer: [
    "Mo-Fr 09:00-18:00; Sa 09:00-17:00; Su 10:00-16:00",
    "Mo-Sa 09:00-17:30",
    "Mo-Fr 08:30-18:30; Sa 08:30-17:00; Su 11:00-17:00",
  ],
  gym: [
    "Mo-Su 00:00-24:00",
    "Mo-Fr 06:00-22:00; Sa-Su 08:00-20:00",
    "Mo-Fr 06:30-21:30; Sa-Su 08:00-18:00",
  ],
  nursery: ["Mo-Fr 07:30-18:00", "Mo-Fr 08:00-18:00", "Mo-Fr 09:00-15:30"],
  school: ["Mo-Fr 08:30-16:00", "Mo-Fr 08:00-17:00", ""],
  daily: ["Mo-Su 10:00-17:00", "Mo-Su 09:00-18:00", "Tu-Su 10:00-16:30"],
  daylight: ["Mo-Su 08:00-18:00", "Mo-Su 07:00-21:00", ""],
  varied: [
    "Mo-Th 10:00-21:00; Fr 10:00-18:00; Sa 09:00-13:00",
    "Tu 10:00-12:00,18:00-20:00; Th 10:00-12:00,18:00-21:00; Sa 10:00-13:00",
    "Mo 10:00-17:00; We 10:00-19:00; Fr 10:00-17:00; Sa 10:00-13:00",
    "",
  ],
};

/** One of these weeks; for some businesses their hours are not known. The result is shared: do not mutate it. */
export function pickHours(random: Random, weeks: readonly OpeningHours[][]): OpeningHours[] {
  return random.chance(0.15) ? NOT_KNOWN : random.pick(weeks);
}

const NOT_KNOWN: OpeningHours[] = [];
const CLOSED_ALL_WEEK = parseOpeningHours("Mo-Su off");

/** The weeks of each kind of business, by its name in trades.ts. */
export const weeksOf: ReadonlyMap<string, OpeningHours[][]> = new Map(
  Object.entries(weeks).map(([kind, texts]) => [kind, texts.map(readWeek)]),
);

function readWeek(week: string): OpeningHours[] {
  const named = parseOpeningHours(week);
  if (named.length === 0) return [];
  return CLOSED_ALL_WEEK.flatMap((closed) => {
    const ofDay = named.filter(({ day }) => day === closed.day);
    return ofDay.length > 0 ? ofDay : closed;
  });
}
