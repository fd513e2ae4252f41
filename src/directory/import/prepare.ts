import * as v from "valibot";
import { plural } from "../../plural.ts";
import { formatOpeningHours } from "../opening-hours.ts";
import type { Photo } from "../schemas.ts";
import { makeSlug } from "../slug.ts";
import type { BusinessStatus } from "../status.ts";
import type { Cities } from "./cities.ts";
import { readEmail, readPhone, readPostcode, readWebsite } from "./contacts.ts";
import { readOpeningHours } from "./hours.ts";
import { type CheckedRecord, importRecord } from "./record.ts";
import type { BusinessFields } from "./rows.ts";
import { cleanAddress, cleanLine, cleanText, isPlaceholder } from "./text.ts";
import { readCityName, readTown, type Town } from "./towns.ts";

/** A record that has been checked and normalised. */
export interface Prepared {
  record: object;
  sourceId: string;
  slug: string | null;
  status: BusinessStatus;
  /** What the record says about the business, except its city; what it does not mention is absent. */
  fields: Partial<Omit<BusinessFields, "city_id" | "status">>;
  /** undefined: nothing said; null: none. */
  town: Town | null | undefined;
  /** Fields that were given but could not be used. */
  unusable: string[];
}

export interface Rejected {
  record: object;
  reason: string;
}

export function prepare(
  record: object,
  categories: ReadonlyMap<string, number>,
  cities: Cities,
  isOwnFormat: boolean,
): Prepared | Rejected {
  const checked = check(record);
  if (!checked.success) return { record, reason: checked.issues[0].message };
  const given = checked.output;

  const category = categoryIdOf(given.category, categories);
  if (category === undefined && given.category !== undefined) {
    const reason = `category ${given.category} is unknown: use a slug that /api/v1/categories lists, replace it in a mapping, or add it with --categories`;
    return { record, reason };
  }

  const unusable: string[] = [];
  /** What `read` makes of a text; `none` when it is empty or not usable, undefined when it is absent. */
  const use = <Value, None>(
    field: string,
    text: string | null | undefined,
    read: (text: string) => Value | null,
    none: None,
  ) => {
    if (text === undefined) return undefined;
    if (text === null || text.trim() === "") return none;
    const value = read(text);
    if (value === null) unusable.push(field);
    return value ?? none;
  };
  const readCity = isOwnFormat ? readCityName : readTown;
  const address =
    given.address === null ? { line1: null, line2: null, postcode: null } : (given.address ?? {});
  // A new first line with the old second line would be an address that does not exist.
  const line2 = address.line1 === undefined ? address.line2 : (address.line2 ?? null);

  let { coordinates } = given;
  if (coordinates && !isInUk(coordinates)) {
    unusable.push("coordinates");
    coordinates = null;
  }

  return {
    record,
    sourceId: given.sourceId,
    slug: given.slug || null,
    status: given.status ?? "approved",
    // A name that an operator has made a city counts as one, whatever it looks like.
    town: use("city", given.city, (text) => cities.named(cleanLine(text)) ?? readCity(text), null),
    unusable,
    fields: withoutAbsent({
      name: given.name,
      category_id: category,
      short_description: use("shortDescription", given.shortDescription, cleanLine, ""),
      description: use("description", given.description, cleanText, ""),
      address_line1: use("line1", address.line1, readAddressLine, ""),
      address_line2: use("line2", line2, readAddressLine, null),
      postcode: use("postcode", address.postcode, readPostcode, ""),
      latitude: coordinates === null ? null : coordinates?.lat,
      longitude: coordinates === null ? null : coordinates?.lng,
      phone: use("phone", given.phone, readPhone, ""),
      email: use("email", given.email, readEmail, ""),
      website: use("website", given.website, readWebsite, ""),
      rating: given.rating === undefined ? undefined : Math.round(given.rating * 100) / 100,
      review_count: given.reviewCount,
      is_claimed: given.isClaimed,
      is_verified: given.isVerified,
      is_premium: given.isPremium,
      photos: given.photos && readPhotos(given.photos),
      opening_hours: given.openingHours && formatOpeningHours(readOpeningHours(given.openingHours)),
    }),
  };
}

/** @returns null for none, undefined when nothing is said of it or it is unknown */
function categoryIdOf(
  given: string | null | undefined,
  categories: ReadonlyMap<string, number>,
): number | null | undefined {
  if (given === undefined) return undefined;
  if (given === null || given.trim() === "") return null;
  const known = categories.get(given);
  if (known !== undefined) return known;
  // "Fish & Chips" can only mean fish-and-chips, and "Plumber", as tables have it, plumbers.
  const slug = makeSlug(cleanLine(given));
  return categories.get(slug) ?? categories.get(plural(slug));
}

const check = v.safeParser(importRecord, { abortEarly: true });

/**
 * Whether a place is near enough to be in the UK or the Channel Islands. This rules out 0, 0, and a latitude
 * and a longitude that are swapped.
 */
function isInUk({ lat, lng }: { lat: number; lng: number }): boolean {
  return lat >= 49 && lat <= 61 && lng >= -9 && lng <= 2;
}

function readAddressLine(text: string): string | null {
  const line = cleanAddress(text);
  return isPlaceholder(line) ? null : line;
}

function readPhotos(photos: NonNullable<CheckedRecord["photos"]>): Photo[] {
  return photos.map(({ url, caption, isCover }) => ({
    url,
    caption: cleanLine(caption ?? ""),
    isCover: isCover ?? false,
  }));
}

type Present<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutAbsent<Fields extends object>(fields: Fields): Present<Fields> {
  const present: Present<Fields> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) present[key] = value as Exclude<Fields[typeof key], undefined>;
  }
  return present;
}
