import type { Settings } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { exactWords, synonyms } from "./synonyms.ts";
import { MIN_WORD_SIZE_FOR_TYPOS } from "./typos.ts";

/** The name of the search index, unless somebody chooses another. */
export const SEARCH_INDEX = "businesses";

/** The index, and the database whose businesses are in it. */
export interface SearchStore {
  sql: Sql;
  meili: Meilisearch;
  index: string;
}

// Raise it when documents change in shape, or in how their words are made.
const DOCUMENT_VERSION = 12;

/** A filter for what is marked as gone; see changes.ts. */
export const IS_GONE = "isGone = true";

export const filterableAttributes = ["citySlug", "categorySlugs", "isGone"];

const rules = {
  // From most to least telling: of two matches that are otherwise alike, the one in the earlier attribute
  // wins. Trades and towns come before names: to `norwich pub`, no pub there is better for its name, and
  // all come before coaches called `Norwich Pub Tours`. Whoever types a whole name, or the beginning of
  // one, still gets that business first, because exactness is ranked before the attribute; only a name that
  // is just a trade and its town, such as `Norwich Pub`, is no better than any pub there. The singular comes
  // first: to `care home norwich`, home care would be better as a category than care homes as a trade. Postcodes
  // come before addresses: M1 is a district of Manchester first, then a motorway.
  searchableAttributes: [
    "trade",
    "category",
    "city",
    "town",
    "firstCategory",
    "firstTrade",
    "secondCategory",
    "secondTrade",
    "name",
    "called",
    "postcode",
    "address",
    "branch",
    "about",
    "place",
  ],
  filterableAttributes,
  // Text first. What is equal there goes by the order of lists; what is equal there too stays in
  // the order in which Meilisearch got it, which is the order of ids after a build.
  rankingRules: ["words", "typo", "exactness", "attribute", "proximity", "rank:asc"],
  typoTolerance: {
    minWordSizeForTypos: MIN_WORD_SIZE_FOR_TYPOS,
    // Another postcode is another place, and another number another house.
    disableOnAttributes: ["postcode"],
    disableOnNumbers: true,
    // Shoes are no shops, and books no Boots.
    disableOnWords: exactWords,
  },
  synonyms,
  // None: a question of nothing but stop words would be answered with the whole directory. In their
  // place, words.ts leaves fillers out of questions and documents alike.
  stopWords: [],
  prefixSearch: "indexingTime",
  facetSearch: false,
  // Totals are exact to the last business. They cost nothing more, as Meilisearch finds the whole
  // set before it ranks; the cap merely hides what is above it.
  pagination: { maxTotalHits: 1_000_000_000 },
  // Less than a search may take (query.ts): an unfinished ranking is better than no answer.
  searchCutoffMs: 1000,
} satisfies Settings;

const VERSION = "version-";

/** Names these settings and this kind of document; an index with another name is built anew. */
const INDEX_VERSION = `${VERSION}${Bun.hash(JSON.stringify([DOCUMENT_VERSION, rules])).toString(36)}`;

/**
 * The settings of the search index. The version is stored where it does no harm, as the name of a
 * displayed attribute, so that it moves with the index when indexes are swapped.
 */
export const indexSettings: Settings = { ...rules, displayedAttributes: ["id", INDEX_VERSION] };

/** Whether an index with these displayed attributes is of our version; null when it was never finished. */
export function isOurVersion(displayedAttributes: readonly string[]): boolean | null {
  if (displayedAttributes.includes(INDEX_VERSION)) return true;
  return displayedAttributes.some((name) => name.startsWith(VERSION)) ? false : null;
}
