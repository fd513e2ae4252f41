import {
  MeilisearchError,
  type MultiSearchParams,
  type SearchParams,
  type SearchResponse,
} from "meilisearch";
import { findListed, type ListedBusiness } from "../directory/listing.ts";
import { isSlug } from "../directory/slug.ts";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { isOutcode, searchWords } from "./words.ts";

/** Where to search. */
export interface Search {
  sql: Sql;
  meili: Meilisearch;
  index: string;
}

export interface SearchQuery {
  text: string;
  /** Businesses wanted. */
  limit: number;
  /** Businesses before the first one wanted. */
  offset?: number;
  /** Slug of a city. */
  city?: string | undefined;
  /** Slug of a category; its descendants are included. */
  category?: string | undefined;
}

/** Meilisearch cannot be reached, is too slow, or has no index yet. */
export class SearchUnavailable extends Error {
  override name = "SearchUnavailable";
}

/**
 * Approved businesses that match all words of a text, in whatever order, best first; see settings.ts
 * for the ranking. Typing errors are forgiven, and a last word of four letters or more may be
 * unfinished. When no business matches all the words, the longest run of neighbouring words that
 * any business matches is searched for instead, among the first six words; of equally long runs the
 * first. Words after the tenth are not looked at.
 *
 * `total` counts all matches in the index. Businesses that the index still holds although they are
 * no longer approved are never among `items`: others take their place, and those that were met are
 * not counted.
 * @throws SearchUnavailable
 */
export async function searchBusinesses(
  { sql, meili, index }: Search,
  { text, limit, offset = 0, city, category }: SearchQuery,
): Promise<{ items: ListedBusiness[]; total: number }> {
  const words = searchWords(text).slice(0, MOST_WORDS);
  const areSlugs = [city, category].every((slug) => slug === undefined || isSlug(slug));
  if (words.length === 0 || !areSlugs) return { items: [], total: 0 };

  const matches = await findMatches(meili, index, words, {
    ...sharedParameters,
    offset,
    limit: limit + SPARE,
    filter: [
      ...(city === undefined ? [] : [`citySlug = "${city}"`]),
      ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
    ],
  });
  const ids = matches.hits.map((hit) => hit.id);
  let listed = await findListed(sql, ids.slice(0, limit));
  let missing = Math.min(ids.length, limit) - listed.length;
  if (missing > 0) {
    listed = [...listed, ...(await findListed(sql, ids.slice(limit)))];
    missing = ids.length - listed.length;
  }
  return { items: listed.slice(0, limit), total: matches.estimatedTotalHits - missing };
}

// Meilisearch itself looks at no more than ten.
const MOST_WORDS = 10;

const MOST_WORDS_IN_RUNS = 6;

/** Ids asked for beyond the page, to fill it when the index lags. */
const SPARE = 20;

/** Milliseconds that Meilisearch has for an answer. */
const TIMEOUT_MS = 2_000;

const sharedParameters = {
  matchingStrategy: "all",
  attributesToRetrieve: ["id"],
} satisfies SearchParams;

interface Match {
  id: string;
}

type Parameters = Omit<SearchParams, "page" | "hitsPerPage">;
type Matches = Pick<SearchResponse<Match, Parameters>, "hits" | "estimatedTotalHits">;

async function findMatches(
  meili: Meilisearch,
  index: string,
  words: readonly string[],
  parameters: Parameters,
): Promise<Matches> {
  const init = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const matches: Matches = await meili
      .index<Match>(index)
      .search<Match, Parameters>(toQuestion(words), parameters, init);
    if (matches.estimatedTotalHits > 0 || words.length === 1) return matches;

    const queries = shorterRuns(words).map((run) => ({
      ...parameters,
      indexUid: index,
      q: toQuestion(run),
    }));
    const { results } = await meili.multiSearch<MultiSearchParams, Match>({ queries }, init);
    const found = results.find(({ estimatedTotalHits = 0 }) => estimatedTotalHits > 0);
    return found
      ? { hits: found.hits, estimatedTotalHits: found.estimatedTotalHits ?? 0 }
      : matches;
  } catch (error) {
    if (!(error instanceof MeilisearchError)) throw error;
    throw new SearchUnavailable(`Meilisearch did not answer: ${error.message}`, { cause: error });
  }
}

/**
 * Meilisearch takes the last word for an unfinished one unless a space follows. Short ones are
 * taken as they are, or `bar` would find every Barclays and `nr1` would find NR10 to NR19.
 */
export function toQuestion(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  const mayBeUnfinished = last.length >= 4 && !isOutcode(last);
  return words.join(" ") + (mayBeUnfinished ? "" : " ");
}

/**
 * All runs of neighbouring words but the whole: the longest first, then from left to right. Only of
 * the first few words, since their number grows with the square.
 */
function shorterRuns(words: readonly string[]): string[][] {
  const first = words.slice(0, MOST_WORDS_IN_RUNS);
  const runs: string[][] = [];
  for (let length = Math.min(first.length, words.length - 1); length > 0; length--) {
    for (let start = 0; start + length <= first.length; start++) {
      runs.push(first.slice(start, start + length));
    }
  }
  return runs;
}
