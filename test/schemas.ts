import * as v from "valibot";

/** The public shapes, to the letter of the specification: no field more, none less. */
const integer = v.pipe(v.number(), v.integer(), v.minValue(0));
const rating = v.pipe(v.number(), v.minValue(0), v.maxValue(5));
const uuidV7 = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
);
const slugName = v.strictObject({ slug: v.string(), name: v.string() });
const address = v.strictObject({
  line1: v.string(),
  line2: v.nullable(v.string()),
  postcode: v.string(),
});
const coordinates = v.strictObject({ lat: v.number(), lng: v.number() });
const photos = v.array(
  v.strictObject({ url: v.string(), caption: v.string(), isCover: v.boolean() }),
);
const openingHours = v.array(
  v.strictObject({
    day: v.picklist(["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]),
    openTime: v.pipe(v.string(), v.regex(/^(\d\d:\d\d)?$/)),
    closeTime: v.pipe(v.string(), v.regex(/^(\d\d:\d\d)?$/)),
    isClosed: v.boolean(),
    is24Hours: v.boolean(),
  }),
);

export const openListItem = v.strictObject({
  id: uuidV7,
  name: v.string(),
  slug: v.string(),
  category: v.string(),
  city: v.string(),
  rating,
  reviewCount: integer,
  phone: v.nullable(v.string()),
  website: v.string(),
  isVerified: v.boolean(),
});

export const openPage = v.strictObject({
  businesses: v.array(openListItem),
  total: integer,
  page: integer,
  pages: integer,
});

const openDetailOfUnclaimed = {
  id: uuidV7,
  name: v.string(),
  slug: v.string(),
  shortDescription: v.string(),
  description: v.string(),
  category: v.string(),
  categorySlug: v.string(),
  city: v.string(),
  citySlug: v.string(),
  address,
  coordinates,
  website: v.string(),
  rating,
  reviewCount: integer,
  isVerified: v.boolean(),
  isPremium: v.boolean(),
  photos,
  openingHours,
};

export const unclaimedDetail = v.strictObject(openDetailOfUnclaimed);
export const claimedDetail = v.strictObject({
  ...openDetailOfUnclaimed,
  phone: v.string(),
  email: v.string(),
});

export const keyedListItem = v.strictObject({
  slug: v.string(),
  name: v.string(),
  shortDesc: v.string(),
  cityName: v.string(),
  postcode: v.string(),
  averageRating: rating,
  reviewCount: integer,
  isPremium: v.boolean(),
  isVerified: v.boolean(),
  categorySlug: v.string(),
});

export const keyedPage = v.strictObject({
  data: v.array(keyedListItem),
  meta: v.strictObject({ page: integer, per_page: integer, total: integer, has_more: v.boolean() }),
});

export const keyedDetail = v.strictObject({
  data: v.strictObject({
    id: uuidV7,
    slug: v.string(),
    name: v.string(),
    shortDesc: v.string(),
    description: v.string(),
    category: v.strictObject({
      slug: v.string(),
      name: v.string(),
      parent: v.nullable(slugName),
    }),
    categorySlug: v.string(),
    cityName: v.string(),
    citySlug: v.string(),
    address,
    postcode: v.string(),
    coordinates,
    phone: v.string(),
    email: v.string(),
    website: v.string(),
    averageRating: rating,
    reviewCount: integer,
    isPremium: v.boolean(),
    isVerified: v.boolean(),
    isClaimed: v.boolean(),
    photos,
    openingHours,
    updatedAt: v.pipe(v.string(), v.isoTimestamp()),
  }),
});

export const categoryList = v.strictObject({
  data: v.array(
    v.strictObject({
      slug: v.string(),
      name: v.string(),
      parent: v.nullable(slugName),
      parents: v.array(slugName),
      businessCount: integer,
    }),
  ),
});

export const searchResults = v.strictObject({
  data: v.array(keyedListItem),
  meta: v.strictObject({ query: v.string(), limit: integer, total: integer }),
});
