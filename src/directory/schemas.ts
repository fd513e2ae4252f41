import * as v from "valibot";
import { weekdays } from "./weekdays.ts";

/**
 * The exact public shapes: no field more, none less. The types of answers, the OpenAPI document and the
 * checks of the tests are all derived from them.
 */

const text = (description: string, ...examples: string[]) =>
  v.pipe(v.string(), v.metadata({ description, ...(examples.length > 0 && { examples }) }));
const flag = (description: string) => v.pipe(v.boolean(), v.description(description));
const count = (description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.description(description));

const id = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  v.description("A UUIDv7. It never changes."),
);
const slug = text("Unique; the last part of the business's URL.");
const name = text("The name it trades under.");
const shortText = text('One sentence, or "".');
const description = text('Plain text, or "".');
const categorySlug = text("The category's slug.", "plumbers");
const cityName = text("The city's display name.", "Leeds");
const citySlug = text("The city's slug.", "leeds");
const postcode = text("The postcode, with its space.", "LS1 6HD");
const rating = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(5),
  v.description("The average rating, or 0 when there is none."),
);
const reviewCount = count("How many reviews the rating averages, or 0 when unknown.");
const isVerified = flag("Whether the directory has checked that the business is what it says.");
const isPremium = flag("Premium businesses come first in lists.");
const website = text('The address of its website, or "".');
const phone = text('The telephone number, or "".');
const email = text('The email address, or "".');

export const CategoryName = v.strictObject({
  slug: categorySlug,
  name: text("The category's display name.", "Plumbers"),
});
export type CategoryName = v.InferOutput<typeof CategoryName>;

export const Address = v.strictObject({
  line1: text("House and street."),
  line2: v.pipe(v.nullable(v.string()), v.description("The rest of the address, or null.")),
  postcode,
});
export type Address = v.InferOutput<typeof Address>;

export const Coordinates = v.pipe(
  v.strictObject({
    lat: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
    lng: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
  }),
  v.description("WGS 84, in degrees."),
);
export type Coordinates = v.InferOutput<typeof Coordinates>;

export const Photo = v.strictObject({
  url: text("The URL of the picture."),
  caption: text('What it shows, or "".'),
  isCover: flag("Whether it is the one to show first."),
});
export type Photo = v.InferOutput<typeof Photo>;

const time = (description: string) =>
  v.pipe(v.string(), v.regex(/^(\d\d:\d\d)?$/), v.description(description));

export const OpeningHours = v.pipe(
  v.strictObject({
    day: v.picklist(weekdays),
    openTime: time('HH:MM in 24 hours, or "" when closed or open all day.'),
    closeTime: time('HH:MM or ""; when it is not after openTime, it is on the next day.'),
    isClosed: flag("Closed all day."),
    is24Hours: flag("Open all day and night."),
  }),
  v.description(
    "One interval of a weekday, UK time. A day with a break has two; for a day without any, the hours are unknown.",
  ),
);
export type OpeningHours = v.InferOutput<typeof OpeningHours>;

export const OpenListItem = v.strictObject({
  id,
  name,
  slug,
  category: categorySlug,
  city: cityName,
  rating,
  reviewCount,
  phone: v.pipe(
    v.nullable(v.string()),
    v.description(
      "Null when there is none. For an unclaimed business, the last four digits and those of an extension are *.",
    ),
  ),
  website,
  isVerified,
});
export type OpenListItem = v.InferOutput<typeof OpenListItem>;

export const OpenPage = v.strictObject({
  businesses: v.array(OpenListItem),
  total: count("The exact number of matches, at any depth."),
  page: count("The requested page."),
  pages: count("How many pages there are."),
});
export type OpenPage = v.InferOutput<typeof OpenPage>;

export const OpenBusiness = v.strictObject({
  id,
  name,
  slug,
  shortDescription: shortText,
  description,
  category: text("The category's display name.", "Plumbers"),
  categorySlug,
  city: cityName,
  citySlug,
  address: Address,
  coordinates: Coordinates,
  phone: v.exactOptional(text("Only for a claimed business.")),
  email: v.exactOptional(text("Only for a claimed business.")),
  website,
  rating,
  reviewCount,
  isVerified,
  isPremium,
  photos: v.array(Photo),
  openingHours: v.array(OpeningHours),
});
export type OpenBusiness = v.InferOutput<typeof OpenBusiness>;

export const KeyedListItem = v.strictObject({
  slug,
  name,
  shortDesc: shortText,
  cityName,
  postcode,
  averageRating: rating,
  reviewCount,
  isPremium,
  isVerified,
  categorySlug,
});
export type KeyedListItem = v.InferOutput<typeof KeyedListItem>;

export const PageMeta = v.strictObject({
  page: count("The requested page."),
  per_page: count("Results per page."),
  total: count("The exact number of matches, at any depth."),
  has_more: flag("Whether further pages exist."),
});
export type PageMeta = v.InferOutput<typeof PageMeta>;

export const KeyedPage = v.strictObject({ data: v.array(KeyedListItem), meta: PageMeta });
export type KeyedPage = v.InferOutput<typeof KeyedPage>;

export const FullBusiness = v.strictObject({
  id,
  slug,
  name,
  shortDesc: shortText,
  description,
  category: v.strictObject({ ...CategoryName.entries, parent: v.nullable(CategoryName) }),
  categorySlug,
  cityName,
  citySlug,
  address: Address,
  postcode,
  coordinates: Coordinates,
  phone,
  email,
  website,
  averageRating: rating,
  reviewCount,
  isPremium,
  isVerified,
  isClaimed: flag("Whether its owner has claimed it."),
  photos: v.array(Photo),
  openingHours: v.array(OpeningHours),
  updatedAt: v.pipe(v.string(), v.isoTimestamp(), v.description("When it last changed.")),
});
export type FullBusiness = v.InferOutput<typeof FullBusiness>;

export const KeyedBusiness = v.strictObject({ data: FullBusiness });
export type KeyedBusiness = v.InferOutput<typeof KeyedBusiness>;

export const Category = v.strictObject({
  ...CategoryName.entries,
  parent: v.nullable(CategoryName),
  parents: v.pipe(v.array(CategoryName), v.description("All categories above it, root first.")),
  businessCount: count("Businesses in it and all below it: the total of a list filtered by it."),
});
export type Category = v.InferOutput<typeof Category>;

export const CategoryList = v.strictObject({ data: v.array(Category) });
export type CategoryList = v.InferOutput<typeof CategoryList>;

export const City = v.strictObject({
  slug: citySlug,
  name: cityName,
  businessCount: count("Businesses in it: the total of a list filtered by it."),
});
export type City = v.InferOutput<typeof City>;

export const CityList = v.strictObject({ data: v.array(City), meta: PageMeta });
export type CityList = v.InferOutput<typeof CityList>;

export const SearchResults = v.strictObject({
  data: v.pipe(v.array(KeyedListItem), v.description("Best first.")),
  meta: v.strictObject({
    query: text("The search text, trimmed.", "plumber in leeds"),
    limit: count("How many results there are at most."),
    total: count("How many match in all."),
  }),
});
export type SearchResults = v.InferOutput<typeof SearchResults>;
