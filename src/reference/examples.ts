import type { UsageReport } from "../access/usage-report.ts";
import type { Business } from "../directory/businesses.ts";
import type {
  CategoryList,
  CityList,
  KeyedBusiness,
  KeyedPage,
  OpenBusiness,
  OpenPage,
  SearchResults,
} from "../directory/schemas.ts";
import { keyedDetail, keyedListItem, openDetail, openListItem } from "../directory/shapes.ts";

/** A made-up business; 0113 496 0xxx is a range that Ofcom reserves for drama. */
const business: Business = {
  id: "019a2f6e-1c40-7b3a-9d52-6f0c8a7e4b11",
  slug: "aire-valley-plumbing-leeds",
  name: "Aire Valley Plumbing",
  shortDescription: "Plumbing and heating repairs in Leeds, day and night.",
  description:
    "A family firm of four Gas Safe engineers. Boilers, bathrooms and burst pipes, with a price before the work begins.",
  categorySlug: "plumbers",
  categoryName: "Plumbers",
  categoryParent: { slug: "building-trades", name: "Building trades" },
  cityName: "Leeds",
  citySlug: "leeds",
  addressLine1: "14 Wharf Street",
  addressLine2: null,
  postcode: "LS2 7EQ",
  latitude: 53.7951,
  longitude: -1.5362,
  phone: "0113 496 0142",
  email: "hello@airevalleyplumbing.example",
  website: "https://airevalleyplumbing.example/",
  rating: 4.7,
  reviewCount: 128,
  isClaimed: true,
  isVerified: true,
  isPremium: false,
  photos: [
    { url: "https://images.example/aire-valley/1.jpg", caption: "The workshop", isCover: true },
  ],
  openingHours: [
    { day: "MONDAY", openTime: "08:00", closeTime: "17:30", isClosed: false, is24Hours: false },
    { day: "SUNDAY", openTime: "", closeTime: "", isClosed: true, is24Hours: false },
  ],
  updatedAt: new Date("2026-10-05T09:12:44.000Z"),
  source: "manual",
};
const unclaimed: Business = { ...business, isClaimed: false, isVerified: false };

export const openPage: OpenPage = {
  businesses: [openListItem(unclaimed)],
  total: 1204,
  page: 1,
  pages: 61,
};
export const openBusiness: OpenBusiness = openDetail(business);
export const keyedPage: KeyedPage = {
  data: [keyedListItem(business)],
  meta: { page: 1, per_page: 20, total: 1204, has_more: true },
};
export const keyedBusiness: KeyedBusiness = { data: keyedDetail(business) };
export const categoryList: CategoryList = {
  data: [
    {
      slug: "plumbers",
      name: "Plumbers",
      parent: { slug: "building-trades", name: "Building trades" },
      parents: [{ slug: "building-trades", name: "Building trades" }],
      businessCount: 1204,
    },
  ],
};
export const cityList: CityList = {
  data: [{ slug: "leeds", name: "Leeds", businessCount: 3871 }],
  meta: { page: 1, per_page: 1, total: 214, has_more: true },
};
export const searchResults: SearchResults = {
  data: [keyedListItem(business)],
  meta: { query: "plumber in leeds", limit: 20, total: 1 },
};
export const usage: { data: UsageReport } = {
  data: {
    tier: "developer",
    month: "2026-11",
    quota: 1000,
    used: 41,
    remaining: 959,
    resetsAt: "2026-12-01T00:00:00.000Z",
    perMinute: 60,
    burst: 60,
    tokensLeft: 59,
  },
};
