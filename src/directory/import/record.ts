import * as v from "valibot";
import { isSlug } from "../slug.ts";
import { businessStatuses } from "../status.ts";
import { weekdays } from "../weekdays.ts";
import { LONGEST_EMAIL, LONGEST_PHONE, LONGEST_WEBSITE } from "./contacts.ts";
import { between, flag, objectOf, orNone, required, text } from "./fields.ts";
import { cleanId, cleanLine, withoutEntities } from "./text.ts";

/** British feeds often have eastings and northings instead. */
const DEGREES = ": degrees of WGS 84, not metres of the national grid";

const photo = v.object(
  {
    url: v.pipe(
      required("photos: url", 2000, (url) => withoutEntities(url).trim()),
      v.regex(/^https?:\/\/./i, "photos: url must begin with http:// or https://"),
      v.regex(/^[^\p{C}]+$/u, "photos: url has invisible characters"),
      // As browsers read it.
      v.transform((url) =>
        url
          .replace(/^https?/i, (scheme) => scheme.toLowerCase())
          .replace(/\s/g, encodeURIComponent),
      ),
    ),
    caption: text("photos: caption", 500),
    isCover: flag("photos: isCover"),
  },
  "photos must be a list of {url, caption, isCover}",
);

const time = (field: string, pattern: RegExp) =>
  v.nullish(
    v.pipe(
      v.string(`openingHours: ${field} must be a time such as 09:30`),
      v.regex(pattern, `openingHours: ${field} must be a time such as 09:30`),
    ),
  );

const HOURS = "openingHours must be a list of {day, openTime, closeTime, isClosed, is24Hours}";

const openingHours = v.pipe(
  v.object(
    {
      day: v.pipe(
        required("openingHours: day", 20),
        v.toUpperCase(),
        v.picklist(weekdays, "openingHours: day must be a weekday such as MONDAY"),
      ),
      openTime: time("openTime", /^(|([01]\d|2[0-3]):[0-5]\d)$/),
      closeTime: time("closeTime", /^(|([01]\d|2[0-3]):[0-5]\d|24:00)$/),
      isClosed: flag("openingHours: isClosed"),
      is24Hours: flag("openingHours: is24Hours"),
    },
    HOURS,
  ),
  v.check(
    ({ isClosed, is24Hours }) => !(isClosed && is24Hours),
    "openingHours: a day cannot be closed and open for 24 hours",
  ),
  v.check(
    ({ openTime, closeTime, isClosed, is24Hours }) =>
      isClosed || is24Hours || Boolean(openTime && closeTime),
    "openingHours: a day that is open needs openTime and closeTime, or is24Hours",
  ),
);

/**
 * One business as a feed gives it; each issue is a short reason. An absent field says nothing and keeps what
 * is known; null, or "" for a text, means that there is none.
 */
export const importRecord = v.object(
  {
    // The id of the business in the source; together with the source's name it identifies it for good.
    sourceId: required("sourceId", 200, cleanId),
    name: required("name", 200, cleanLine),
    // Used when the business is created, and only then; made from name and city when absent.
    slug: v.nullish(
      v.pipe(
        v.string("slug must be text"),
        v.check(
          (value) => value === "" || isSlug(value),
          "slug must be lower-case letters, digits and single hyphens, at most 120",
        ),
      ),
    ),
    // Slug of a category, or a text that yields it: "Fish & Chips" is fish-and-chips, "Plumber" plumbers.
    category: text("category", 120),
    // Display name of a town; in formats other than our own a part of an address.
    city: text("city", 200),
    shortDescription: text("shortDescription", 500),
    description: text("description", 20_000),
    // A line1 without a line2 means that there is no second line.
    address: v.nullish(
      objectOf(
        {
          line1: text("address.line1", 300),
          line2: text("address.line2", 300),
          postcode: text("address.postcode", 100),
        },
        "address must be {line1, line2, postcode}",
      ),
    ),
    // A place outside the UK counts as none.
    coordinates: v.nullish(
      v.pipe(
        objectOf(
          {
            lat: v.nullish(between("coordinates.lat", -90, 90, DEGREES)),
            lng: v.nullish(between("coordinates.lng", -180, 180, DEGREES)),
          },
          "coordinates must be {lat, lng}",
        ),
        v.check(
          ({ lat, lng }) => (lat == null) === (lng == null),
          "coordinates must have both lat and lng",
        ),
        // Some feeds write both as null when there are none; both absent says nothing.
        v.transform(({ lat, lng }) => {
          if (lat === undefined && lng === undefined) return undefined;
          return lat == null || lng == null ? null : { lat, lng };
        }),
      ),
    ),
    phone: text("phone", LONGEST_PHONE),
    email: text("email", LONGEST_EMAIL),
    website: text("website", LONGEST_WEBSITE),
    // Kept to two decimals; 0 means not rated.
    rating: orNone(between("rating", 0, 5), 0),
    reviewCount: orNone(
      v.pipe(
        between("reviewCount", 0, 2_147_483_647),
        v.integer("reviewCount must be a whole number"),
      ),
      0,
    ),
    isClaimed: flag("isClaimed"),
    isVerified: flag("isVerified"),
    isPremium: flag("isPremium"),
    // Applies when the business is created; afterwards its status is the operator's.
    status: v.nullish(
      v.picklist(businessStatuses, `status must be one of ${businessStatuses.join(", ")}`),
    ),
    photos: orNone(
      v.pipe(
        v.array(photo, "photos must be a list of {url, caption, isCover}"),
        v.maxLength(200, "photos: there are more than 200"),
        v.check(
          (photos) => photos.filter(({ isCover }) => isCover).length <= 1,
          "photos: at most one can be the cover",
        ),
      ),
      [],
    ),
    // A closeTime not after its openTime is past midnight. Adjoining intervals are joined.
    openingHours: orNone(
      v.pipe(
        v.array(openingHours, HOURS),
        v.maxLength(100, "openingHours: there are more than 100 entries"),
      ),
      [],
    ),
  },
  "the row is not an object",
);

export type ImportRecord = v.InferInput<typeof importRecord>;
export type CheckedRecord = v.InferOutput<typeof importRecord>;
