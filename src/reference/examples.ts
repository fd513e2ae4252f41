import type { UsageReport } from "../access/usage-report.ts";
import type { Business } from "../directory/businesses.ts";
import { parseOpeningHours } from "../directory/opening-hours.ts";
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

/** Of the sample directory, where the reference's calls find it; Ofcom reserves 0113 496 0xxx for drama. */
const business: Business = {
  id: "019a2f6e-1c40-7b3a-9d52-6f0c8a7e4b11",
  slug: "barraclough-plumbing-and-heating-leeds",
  name: "Barraclough Plumbing & Heating",
  shortDescription: "Independent plumber, serving Leeds since 1995.",
  description:
    "You will find Barraclough Plumbing & Heating on Grove Road, a few minutes from the centre. We are known across Leeds for leaks and burst pipes, bathroom fitting and blocked toilets. Quotes are free and without obligation.",
  categorySlug: "plumbers",
  categoryName: "Plumbers",
  categoryParent: { slug: "building-trades", name: "Building trades" },
  cityName: "Leeds",
  citySlug: "leeds",
  addressLine1: "The Basement, 1 Grove Road",
  addressLine2: null,
  postcode: "LS13 7PD",
  latitude: 53.79686,
  longitude: -1.53849,
  phone: "0113 496 0434",
  email: "contact@barracloughplumbingheating.example",
  website: "https://www.barracloughplumbingheating.example/",
  rating: 2.5,
  reviewCount: 7,
  isClaimed: true,
  isVerified: true,
  isPremium: false,
  photos: [
    { url: "https://images.example/sample-003892/1.jpg", caption: "", isCover: false },
    {
      url: "https://images.example/sample-003892/2.jpg",
      caption: "Barraclough Plumbing & Heating: before opening",
      isCover: true,
    },
    {
      url: "https://images.example/sample-003892/3.jpg",
      caption: "Barraclough Plumbing & Heating: the front",
      isCover: false,
    },
  ],
  openingHours: parseOpeningHours("Mo-Fr 08:00-18:00; Sa 08:00-13:00; Su off"),
  updatedAt: new Date("2026-10-05T09:12:44.000Z"),
  source: "generated-1",
};
/** For the masked phone in open lists, which the business above, being claimed, does not have. */
const unclaimed: Business = {
  ...business,
  id: "019a2f6e-1c41-7f08-8a63-2b9d4e5c7f20",
  slug: "aire-valley-plumbing-leeds",
  name: "Aire Valley Plumbing",
  website: "https://airevalleyplumbing.example/",
  isClaimed: false,
  isVerified: false,
};

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
