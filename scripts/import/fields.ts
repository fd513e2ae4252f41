import { isOpeningHours, parseOpeningHours } from "../../src/directory/opening-hours.ts";
import { OpeningHours, Photo } from "../../src/directory/schemas.ts";
import { readWeek } from "./osm-hours.ts";

/** The fields of a record by their column names, with the kind of their values. */
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
/** What a row of a table says of fields. */
export type Fields = Map<FieldName, unknown>;
export const fieldNames = Object.keys(kinds) as FieldName[];

export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(kinds, name);
}

/** The names within each field that is an object, or a list of them; photos and hours are as in the API. */
const innerNames = new Map([
  ["address", ["line1", "line2", "postcode"]],
  ["coordinates", ["lat", "lng"]],
  ["photos", Object.keys(Photo.entries)],
  ["openingHours", Object.keys(OpeningHours.entries)],
]);

/**
 * Names in a record that are not our fields: one may be misspelt in the whole feed, such as coordinates.latitude or
 * photos.alt.
 */
export function unknownFields(record: object): string[] {
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(record)) {
    const known = innerNames.get(name);
    if (!known) {
      // A name with a dot is that of a table column, which the directory would not find here.
      if (!isFieldName(name) || name.includes(".")) unknown.add(name);
      continue;
    }
    for (const each of [value].flat()) {
      const inner = typeof each === "object" ? Object.keys(each ?? {}) : [];
      for (const key of inner) if (!known.includes(key)) unknown.add(`${name}.${key}`);
    }
  }
  return [...unknown];
}

/** An emptied cell of one of these means that nobody should be called or written to there any more. */
const contacts = ["phone", "email", "website"];

/**
 * A record from the fields of one row of a table: address.line1 becomes {address: {line1}}. A field
 * without a value, or with a placeholder for one, is left out, except for a contact, which it removes; a
 * value of the wrong kind stays as it is, for the directory to report.
 * @returns the reason when a cell that must hold JSON or hours holds neither, or hours that may mean two things
 */
export function recordOfFields(fields: Fields): Nested | string {
  const record: Nested = {};
  for (const [name, given] of fields) {
    const value = typeof given === "string" ? saidBy(given.trim(), name) : given;
    if (value === "" && !contacts.includes(name)) continue;
    let read: unknown = value;
    try {
      if (typeof value === "string") read = readers[kinds[name]](value);
    } catch {
      return `${name} is ${name === "openingHours" ? UNCLEAR_HOURS : "not JSON"}`;
    }
    const [outer = "", inner] = name.split(".");
    if (inner === undefined) record[outer] = read;
    else record[outer] = { ...(record[outer] as Nested | undefined), [inner]: read };
  }
  return record;
}

/** What a cell says: nothing where it holds only a placeholder. */
export function saidBy(text: string, name: FieldName): string {
  // Without one, a new business is approved: no error of a formula may make it public.
  if (name === "status") return text;
  const isEmpty = NOTHING.test(text) || (WORD_FOR_NOTHING.test(text) && !verbatim.includes(name));
  return isEmpty ? "" : text;
}

/** Dashes, n/a, and the errors of a spreadsheet's formulas. */
const NOTHING = /^(?:[-–—.]+|n\/a|#(?:n\/a|ref!|value!|name\?|div\/0!|num!|null!|spill!))$/i;
// Not null, which is JSON, but the NULL of databases.
const WORD_FOR_NOTHING = /^(?:(?i:na|none|unknown|tbc|tba)|NULL)$/;
/** In these, such a word may be meant. */
const verbatim: FieldName[] = ["sourceId", "name"];

/** The text may be no hours at all, or may mean two things, such as 9-5. */
const UNCLEAR_HOURS =
  "neither JSON nor clear text: write days and 24-hour times, as in Mo-Fr 09:00-17:00; Sa 09:00-12:30";

interface Nested {
  [name: string]: unknown;
}

const readers: Record<(typeof kinds)[FieldName], (text: string) => unknown> = {
  text: (text) => text,
  // Spreadsheets in some locales write a decimal comma.
  number: (text) => numberOr(text, text.replace(/^([+-]?\d+),(\d+)$/, "$1.$2")),
  // Here a comma can only be between thousands.
  whole: (text) =>
    numberOr(text, /^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text),
  flag: (text) =>
    /^(true|t|yes|y|1)$/i.test(text) ? true : /^(false|f|no|n|0)$/i.test(text) ? false : text,
  json: (text) => JSON.parse(text),
  // JSON, or a week in OpenStreetMap's format, in which unnamed days are closed. Its reader accepts neither
  // a week that is closed throughout nor a very long one; both may be in the directory's own format.
  hours: (text) => (text.startsWith("[") ? null : readHours(text)) ?? JSON.parse(text),
};

const readHours = (text: string) =>
  readWeek(text) ?? (isOpeningHours(text) && !namesDayTwice(text) ? parseOpeningHours(text) : null);

/**
 * As in "Mo-Fr 09:00-17:00; Mo-Su off". In OpenStreetMap the later rule replaces the earlier one, in the
 * directory both hold: there is no telling which is meant, and one of them would show a closed business as open.
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
