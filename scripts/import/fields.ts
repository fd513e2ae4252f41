import { isOpeningHours, parseOpeningHours } from "../../src/directory/opening-hours.ts";
import { readWeek } from "./osm-hours.ts";

/** The fields of a record as a table names them, with the kind of their values. */
const kinds = {
  sourceId: "text",
  name: "text",
  slug: "text",
  category: "text",
  city: "text",
  shortDescription: "text",
  description: "text",
  "address.line1": "text",
  "address.line2": "text",
  "address.postcode": "text",
  "coordinates.lat": "number",
  "coordinates.lng": "number",
  phone: "text",
  email: "text",
  website: "text",
  rating: "number",
  reviewCount: "whole",
  isClaimed: "flag",
  isVerified: "flag",
  isPremium: "flag",
  status: "text",
  photos: "json",
  openingHours: "hours",
} as const;

export type FieldName = keyof typeof kinds;
export const fieldNames = Object.keys(kinds) as FieldName[];

export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(kinds, name);
}

/** Who empties such a cell wants nobody to be called or written to any more. */
const contacts = ["phone", "email", "website"];

/**
 * A record of the fields of one row of a table: address.line1 becomes {address: {line1}}. A field
 * without a value is left out, but for a contact, of which there is none then; a value of the wrong
 * kind stays as it is, for the directory to name.
 * @returns the reason when a cell that must hold JSON or hours does not
 */
export function recordOfFields(fields: ReadonlyMap<string, unknown>): Nested | string {
  const record: Nested = {};
  for (const [name, given] of fields) {
    const value = typeof given === "string" ? given.trim() : given;
    if (value === undefined || !isFieldName(name)) continue;
    if (value === "" && !contacts.includes(name)) continue;
    let read: unknown = value;
    try {
      if (typeof value === "string") read = readers[kinds[name]](value);
    } catch {
      const form =
        name === "openingHours" ? "neither JSON nor such as Mo-Fr 09:00-17:00" : "not JSON";
      return `${name} is ${form}`;
    }
    const [outer = "", inner] = name.split(".");
    if (inner === undefined) record[outer] = read;
    else record[outer] = { ...(record[outer] as Nested | undefined), [inner]: read };
  }
  return record;
}

interface Nested {
  [name: string]: unknown;
}

const readers: Record<(typeof kinds)[FieldName], (text: string) => unknown> = {
  text: (text) => text,
  // Spreadsheets of other countries write a comma for the point.
  number: (text) => numberOr(text, text.replace(/^([+-]?\d+),(\d+)$/, "$1.$2")),
  // Here a comma can only be between thousands.
  whole: (text) =>
    numberOr(text, /^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text),
  flag: (text) =>
    /^(true|t|yes|y|1)$/i.test(text) ? true : /^(false|f|no|n|0)$/i.test(text) ? false : text,
  json: (text) => JSON.parse(text),
  // JSON, or a week in OpenStreetMap's format, in which days that are not named are closed. The reader of that
  // takes no week that is closed throughout, and no very long one: both may be in the directory's own form.
  hours: (text) => (text.startsWith("[") ? null : readHours(text)) ?? JSON.parse(text),
};

const readHours = (text: string) =>
  readWeek(text) ?? (isOpeningHours(text) && !namesDayTwice(text) ? parseOpeningHours(text) : null);

/**
 * As in "Mo-Fr 09:00-17:00; Mo-Su off". In OpenStreetMap the later rule takes the place of the earlier one, in
 * the directory both hold: nobody knows which is meant, and one of the two says open of who is closed.
 */
function namesDayTwice(text: string): boolean {
  const days = text.split("; ").flatMap((rule) => {
    return [...new Set(parseOpeningHours(rule).map(({ day }) => day))];
  });
  return new Set(days).size < days.length;
}

function numberOr(text: string, digits: string): number | string {
  const number = Number(digits);
  return Number.isFinite(number) ? number : text;
}
