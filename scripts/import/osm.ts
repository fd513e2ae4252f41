import { JSONParser } from "@streamparser/json";
import type { ImportRecord } from "../../src/directory/import/record.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import { grouped } from "../../src/numbers.ts";
import { CommandError } from "../terminal/command.ts";
import { categoryOf, isVacant, type Tags } from "./osm-categories.ts";
import { readWeek } from "./osm-hours.ts";
import { isHouseNumber, LONGEST_ROW, type Row } from "./row.ts";

/**
 * Places of OpenStreetMap as GeoJSON: with tags as properties, as from Overpass, osmtogeojson and osmium, or
 * in a `tags` property, as from osmtogeojson's library.
 */
export async function* readOsm(text: AsyncIterable<string>): AsyncGenerator<Row> {
  const parser = new JSONParser({ paths: ["$.type", "$.features.*"], keepStack: false });
  const found: unknown[] = [];
  let count = 0;
  let isCollection = false;
  parser.onValue = ({ key, value }) => {
    if (key === "type") isCollection = value === "FeatureCollection";
    else found.push(value);
  };
  parser.onError = (error) => {
    const whole = count + found.length;
    throw new CommandError(`The GeoJSON is broken after feature ${whole}: ${error.message}.`);
  };

  /** Characters since the last feature. */
  let unfinished = 0;
  for await (const piece of text) {
    parser.write(piece);
    unfinished = found.length > 0 ? 0 : unfinished + piece.length;
    if (unfinished > LONGEST_ROW) {
      throw new CommandError(
        `This is not GeoJSON of places: feature ${count + 1} does not end within ${grouped(LONGEST_ROW)} characters.`,
      );
    }
    for (const feature of found.splice(0)) yield rowOf(++count, feature);
  }
  if (!parser.isEnded) throw new CommandError(`The GeoJSON is cut short after feature ${count}.`);
  // An empty extract is still valid.
  if (count === 0 && !isCollection) throw new CommandError("The GeoJSON has no features.");
}

interface Feature {
  id?: unknown;
  properties?: Record<string, unknown> | null;
  geometry?: unknown;
}

/** The tags as text: tools that guess types write the name "1812" as a number. */
function tagsOf(properties: object): Tags {
  const texts = Object.entries(properties).flatMap(([name, value]) =>
    ["string", "number", "boolean"].includes(typeof value) ? [[name, String(value)]] : [],
  );
  return Object.fromEntries(texts);
}

function rowOf(line: number, row: unknown): Row {
  const feature = (row ?? {}) as Feature;
  const { properties } = feature;
  const tags = tagsOf(properties?.tags instanceof Object ? properties.tags : (properties ?? {}));
  const sourceId = idOf(feature);
  const name = textOf(tags, "name");
  if (sourceId === "") {
    return { line, row, reason: "the feature has no id: osmium export -a type,id gives it one" };
  }
  if (isVacant(tags)) {
    return { line, row, sourceId, isVacant: true, reason: "the place is vacant or disused" };
  }
  if (name === undefined) return { line, row, sourceId, reason: "the place has no name" };

  const coordinates = middleOf(feature.geometry);
  // For good, or for now, or only this business: for a person to decide.
  const isClosed = isMarkedGone(tags) || hasEnded(tags.end_date);
  const hours = tags.opening_hours ? readWeek(tags.opening_hours) : null;
  const record: ImportRecord = {
    sourceId,
    name,
    category: categoryOf(tags),
    ...addressOf(tags, name),
    ...(coordinates && { coordinates }),
    // An element states all that OpenStreetMap knows, so what it no longer has must be removed. Not its
    // address, though: a mapper may have moved that to the building.
    phone: firstOf(tags, "phone", "contact:phone", "contact:mobile", "phone:mobile"),
    website: firstOf(tags, "website", "contact:website", "url"),
    email: firstOf(tags, "email", "contact:email"),
    shortDescription: firstOf(tags, "description"),
    openingHours: hours,
    ...(isClosed && { status: "pending" }),
  };
  const unusable = tags.opening_hours && !hours ? ["openingHours"] : [];
  return { line, row, record, unusable, isClosed };
}

/** The id with its type, such as node/1. */
function idOf({ id, properties }: Feature): string {
  const own = tagsOf(properties ?? {});
  const given = tagsOf({ id }).id ?? own.id ?? own["@id"] ?? "";
  // A node and a way may have the same number.
  return own["@type"] && /^\d+$/.test(given) ? `${own["@type"]}/${given}` : given;
}

/**
 * A house name that only repeats the name of the place is left out if there is a street. Whatever contains the
 * street, such as a business park, a longer street or a village, comes last, unless it is already named.
 */
function addressOf(tags: Tags, name: string): Pick<ImportRecord, "address" | "city"> {
  // Not a suburb, which does not say what town it belongs to.
  const [city] = textsOf(tags, "addr:city", "addr:town", "addr:village", "addr:hamlet");
  const [street, ...around] = textsOf(tags, "addr:street", "addr:place", "addr:parentstreet");
  const named = textOf(tags, "addr:housename");
  const numbered = textOf(tags, "addr:housenumber");
  const isRepeated = street !== undefined && makeSlug(named ?? "") === makeSlug(name);
  // Some mappers give the number as the name. But a bar called 1812 is hardly at number 1812.
  const isNumber = !isRepeated && isHouseNumber(named ?? "") && numbered === undefined;
  // Split, since a pattern for the surrounding spaces would take quadratic time for many of them.
  const number = (isNumber ? named : numbered)
    ?.split(";")
    .map((part) => part.trim())
    .join(", ");
  // Mostly a bare number or letter, which says nothing on its own line.
  const unit = textOf(tags, "addr:unit")?.replace(/^(\d+ ?[a-z]?|[a-z] ?\d*)$/i, "Unit $1");
  const houseName = isNumber || isRepeated ? undefined : named;
  // Without a street, a number is of use only beside a house name.
  const house = [street || !houseName ? undefined : number, unit, houseName]
    .filter(Boolean)
    .join(", ");
  const onStreet = [number, street].filter(Boolean).join(" ");
  const lines = [house, street ? onStreet : ""].filter(Boolean);
  // Near a town, many streets are of a village: there is a The Street in each. But it is no address alone.
  const districts = textsOf(tags, "addr:suburb", "addr:hamlet", "addr:village", "addr:town");
  const containing = lines.length > 0 ? [...around, ...districts] : around;
  const wider = new Map(containing.map((text) => [makeSlug(text), text]));
  for (const known of [city, name, named, street]) wider.delete(makeSlug(known ?? ""));
  const [line1, ...others] = [
    ...(street && number ? lines.toReversed() : lines),
    ...wider.values(),
  ];
  const line2 = others.join(", ");
  const postcode = textOf(tags, "addr:postcode");
  return {
    address: { ...(line1 && { line1 }), ...(line2 && { line2 }), ...(postcode && { postcode }) },
    ...(city && { city }),
  };
}

const isMarkedGone = ({ disused, abandoned, demolished }: Tags) =>
  [disused, abandoned, demolished].includes("yes");

/** Whether a year, a month or a day is over; no other notation counts, such as `before 1990` or `C18`. */
function hasEnded(date: string | undefined): boolean {
  if (!date || !/^\d{4}(-\d\d){0,2}$/.test(date)) return false;
  return date < new Date().toISOString().slice(0, date.length);
}

/** What a tag says, without surrounding white space; undefined if that is nothing. */
const textOf = (tags: Tags, key: string) => tags[key]?.trim() || undefined;

/** What those of these tags say that say anything. */
const textsOf = (tags: Tags, ...keys: string[]) => keys.flatMap((key) => textOf(tags, key) ?? []);

const firstOf = (tags: Tags, ...keys: string[]) => textsOf(tags, ...keys)[0] ?? null;

/** A point itself, or the centre of the bounding box of a line or area. GeoJSON has longitude first. */
function middleOf(geometry: unknown): { lat: number; lng: number } | null {
  const [lngs, lats]: [number[], number[]] = [[], []];
  const collect = (part: unknown, levels: number): void => {
    if (typeof part !== "object" || part === null || levels === 0) return;
    if (!Array.isArray(part)) {
      const { geometries, coordinates } = part as { geometries?: unknown; coordinates?: unknown };
      collect(Array.isArray(geometries) ? geometries : coordinates, levels - 1);
    } else if (typeof part[0] === "number" && typeof part[1] === "number") {
      lngs.push(part[0]);
      lats.push(part[1]);
    } else {
      for (const inner of part) collect(inner, levels - 1);
    }
  };
  collect(geometry, MOST_LEVELS);
  if (lats.length === 0) return null;
  const middle = (values: readonly number[]) =>
    (values.reduce((a, b) => Math.min(a, b)) + values.reduce((a, b) => Math.max(a, b))) / 2;
  return { lat: middle(lats), lng: middle(lngs) };
}

/** Nesting of a geometry: a multipolygon in a collection has seven levels. */
const MOST_LEVELS = 20;
