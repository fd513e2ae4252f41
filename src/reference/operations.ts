import * as v from "valibot";
import { UsageReport } from "../access/usage-report.ts";
import * as shapes from "../directory/schemas.ts";
import { keyedListParameters, openListParameters } from "../handlers/businesses.ts";
import { cityListParameters } from "../handlers/cities.ts";
import { searchParameters } from "../handlers/search.ts";
import type { Parameters } from "../http/parameters.ts";
import * as examples from "./examples.ts";

/** The parameters and the answer of one variant of access. */
interface Variant {
  parameters: Parameters;
  /** Name of the answer's schema in `schemas`. */
  answer: keyof typeof schemas;
  example: unknown;
  /** Appended to the description of an operation that has both variants. */
  note?: string;
}

export interface Operation {
  path: string;
  id: string;
  tag: string;
  summary: string;
  description: string;
  /** Describes the 200. */
  result: string;
  /** Absent where a key is required. */
  open?: Variant;
  keyed: Variant;
  /** A query, or a slug in the path, that gets 400; absent where neither is read. */
  invalid?: string;
  /** Costs the key nothing. */
  isFree?: true;
}

/** The named schemas of the document. */
export const schemas = {
  ...shapes,
  UsageReport,
  Usage: v.strictObject({ data: UsageReport }),
} satisfies Record<string, v.GenericSchema>;

export const operations: readonly Operation[] = [
  {
    path: "/api/v1/businesses",
    id: "listBusinesses",
    tag: "Businesses",
    summary: "List businesses",
    description:
      "A page of the directory: premium businesses first, then by rating, number of reviews and id. " +
      "`city` and `category` are slugs, such as `st-albans`, not names: `/api/v1/cities` and `/api/v1/categories` " +
      "list them, and a business's own record has its own as `citySlug` and `categorySlug`. An unknown one gives an " +
      "empty page. A category includes all its descendants; one that is inactive, or has an inactive ancestor, gives " +
      "an empty page, although its businesses are in other lists. " +
      "`total` is exact at any depth. If the directory changes between two calls, a business may move to " +
      "another page, and so appear twice or be missed: deduplicate by `slug`, and read the list again for " +
      "what was missed.",
    result: "A page of the list, with the total across all pages.",
    open: { parameters: openListParameters, answer: "OpenPage", example: examples.openPage },
    keyed: { parameters: keyedListParameters, answer: "KeyedPage", example: examples.keyedPage },
    invalid: "page=0",
  },
  {
    path: "/api/v1/businesses/{slug}",
    id: "getBusiness",
    tag: "Businesses",
    summary: "Get a business",
    description: "One approved business by its slug.",
    result: "The business.",
    open: {
      parameters: {},
      answer: "OpenBusiness",
      example: examples.openBusiness,
      note: "Open responses have `phone` and `email` only if it is claimed.",
    },
    keyed: { parameters: {}, answer: "KeyedBusiness", example: examples.keyedBusiness },
    // In Latin-1, not UTF-8.
    invalid: "caf%E9",
  },
  {
    path: "/api/v1/categories",
    id: "listCategories",
    tag: "Categories",
    summary: "List categories",
    description:
      "All active categories with their ancestors and how many businesses they hold. Those with an inactive " +
      "ancestor are left out as well.",
    result: "The categories.",
    keyed: { parameters: {}, answer: "CategoryList", example: examples.categoryList },
  },
  {
    path: "/api/v1/cities",
    id: "listCities",
    tag: "Cities",
    summary: "List cities",
    description:
      "A page of the cities, towns and villages that have businesses, by slug, and how many they have. `total` is exact.",
    result: "A page of the cities, with the total across all pages.",
    keyed: { parameters: cityListParameters, answer: "CityList", example: examples.cityList },
    invalid: "page=0",
  },
  {
    path: "/api/v1/search",
    id: "searchBusinesses",
    tag: "Search",
    summary: "Search businesses",
    description:
      "The same ranked results as the directory's own search page. The text ranks; premium, rating and reviews " +
      "only break ties. Typos are tolerated, except in a town of the directory that is spelled right; word " +
      "order and a county or country after a town are ignored. When nothing matches all the words, the query is " +
      "relaxed step by step: first without qualifiers (best, 24 hour, open now), then without the second half of a " +
      "postcode, then with misspelt everyday names of trades corrected, then with a last word of up to three letters " +
      "as the beginning of one in a name (kings he), then with the town around the postcode in its place, then with " +
      "the place named and a run of the other words (of a trade, a street and a town, the trade in the town), and " +
      "finally with the longest run of words among the first six (of equally long ones, the one with the fewest " +
      "misspelt words, then the fewest matches), unless that is only a number or a word such as `shop`. `city` and " +
      "`category` always hold. The response does not say whether the query was relaxed. Words after the tenth are " +
      "ignored. There are no further pages: where `total` is above `limit`, give a `city`, a `category` or more " +
      "words in `q` to narrow the search.",
    result: "The matching businesses, the best match first.",
    keyed: {
      parameters: searchParameters,
      answer: "SearchResults",
      example: examples.searchResults,
    },
    invalid: "q=",
  },
  {
    path: "/api/v1/usage",
    id: "getUsage",
    tag: "Your key",
    summary: "Get the key's usage",
    description:
      "What the key has used and has left, this month and this minute. Costs neither token nor quota.",
    result: "The key's limits and usage.",
    keyed: { parameters: {}, answer: "Usage", example: examples.usage },
    isFree: true,
  },
];
