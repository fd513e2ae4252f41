import type { Settings } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { exactWords, synonyms } from "./synonyms.ts";
import { MIN_WORD_SIZE_FOR_TYPOS } from "./typos.ts";

/** The default name of the search index. */
export const SEARCH_INDEX = "businesses";

/** The index, and the database whose businesses are in it. */
export interface SearchStore {
  sql: Sql;
  meili: Meilisearch;
  index: string;
}

// Raise this when documents change in shape, or in how their words are derived.
const DOCUMENT_VERSION = 21;

/** A filter for what is marked as gone; see changes.ts. */
export const IS_GONE = "isGone = true";

export const filterableAttributes = ["citySlug", "categorySlugs", "isGone"];

const rules = {
  // From most to least telling: of two matches that are otherwise equal, the one in the earlier attribute wins.
  // Trades and towns come before names: for `norwich pub`, no pub there ranks higher for its name, and all rank
  // above coaches called `Norwich Pub Tours`. Whoever types a whole name, or the beginning of one, still gets
  // that business first, because exactness is ranked before the attribute; only a name that is just a trade and
  // its town, such as `Norwich Pub`, ranks no higher than any pub there. The singular comes first: for `care home
  // norwich`, home care as a category would otherwise rank above care homes as a trade. Postcodes come before
  // addresses: M1 is a district of Manchester first, then a motorway.
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
  // Text first. Ties are broken by the order of lists; what is still equal stays in the order in which
  // Meilisearch got it, which is the order of ids after a build.
  rankingRules: ["words", "typo", "exactness", "attribute", "proximity", "rank:asc"],
  typoTolerance: {
    minWordSizeForTypos: MIN_WORD_SIZE_FOR_TYPOS,
    // Another postcode is another place, and another number another house.
    disableOnAttributes: ["postcode"],
    disableOnNumbers: true,
    // Shoes are no shops, and books no Boots.
    disableOnWords: [...exactWords],
  },
  synonyms,
  // None: a query of nothing but stop words would be answered with the whole directory. Instead, words.ts leaves
  // fillers out of queries and documents alike.
  stopWords: [],
  prefixSearch: "indexingTime",
  facetSearch: false,
  // Totals are exact to the last business. That costs nothing more, since Meilisearch finds the whole set before
  // it ranks; a lower cap would merely hide the rest.
  pagination: { maxTotalHits: 1_000_000_000 },
  // Less than a search may take (query.ts): an unfinished ranking is better than no answer.
  searchCutoffMs: 1000,
} satisfies Settings;

const VERSION = "version-";

/** Identifies these settings and this kind of document; an index of another version is rebuilt. */
const INDEX_VERSION = `${VERSION}${Bun.hash(JSON.stringify([DOCUMENT_VERSION, rules])).toString(36)}`;

/**
 * The settings of the search index. The version is stored where it does no harm, as the name of a
 * displayed attribute, so that it moves with the index when indexes are swapped.
 */
export const indexSettings: Settings = { ...rules, displayedAttributes: ["id", INDEX_VERSION] };

/**
 * Of which version an index with these displayed attributes is: of none when it was never finished, or was left
 * behind; see rebuild.ts.
 */
export function versionOf(displayedAttributes: readonly string[]): "ours" | "another" | "none" {
  if (displayedAttributes.includes(INDEX_VERSION)) return "ours";
  return displayedAttributes.some((name) => name.startsWith(VERSION)) ? "another" : "none";
}
