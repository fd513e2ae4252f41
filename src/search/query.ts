import { type Index, MeilisearchError } from "meilisearch";
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

  const filter = [
    ...(city === undefined ? [] : [`citySlug = "${city}"`]),
    ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
  ];
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const ask = (run: readonly string[], part: Part) =>
    findMatches(meili.index<Match>(index), toQuestion(run), { ...part, filter }, signal);

  for (const run of runs(words)) {
    const { ids, total } = await ask(run, { offset, limit });
    if (total === 0) continue;
    const items = await findListed(sql, ids);
    const gone = ids.length - items.length;
    if (gone === 0) return { items, total };

    const next = await ask(run, { offset: offset + limit, limit: SPARE });
    const others = await findListed(sql, next.ids);
    return {
      items: [...items, ...others].slice(0, limit),
      total: total - gone - (next.ids.length - others.length),
    };
  }
  return { items: [], total: 0 };
}

// Meilisearch itself looks at no more than ten.
const MOST_WORDS = 10;

const MOST_WORDS_IN_RUNS = 6;

/** Matches asked for after the page, to fill it when the index lags. */
const SPARE = 20;

/** Milliseconds that Meilisearch has for all the answers of a search. */
const TIMEOUT_MS = 2_000;

interface Match {
  id: string;
}

/** Which of the matches are wanted. */
type Part = Required<Pick<SearchQuery, "offset" | "limit">>;

async function findMatches(
  index: Index<Match>,
  question: string,
  parameters: Part & { filter: string[] },
  signal: AbortSignal,
): Promise<{ ids: string[]; total: number }> {
  try {
    const { hits, estimatedTotalHits } = await index.search(
      question,
      { ...parameters, matchingStrategy: "all", attributesToRetrieve: ["id"] },
      { signal },
    );
    return { ids: hits.map((hit) => hit.id), total: estimatedTotalHits };
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
 * All words, then the shorter runs of neighbouring words: the longest first, then from left to
 * right. Those are of the first few words only, since their number grows with the square.
 */
function* runs(words: readonly string[]): Generator<readonly string[]> {
  yield words;
  const first = words.slice(0, MOST_WORDS_IN_RUNS);
  for (let length = Math.min(first.length, words.length - 1); length > 0; length--) {
    for (let start = 0; start + length <= first.length; start++) {
      yield first.slice(start, start + length);
    }
  }
}
