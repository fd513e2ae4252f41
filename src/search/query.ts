import { MeilisearchError } from "meilisearch";
import type { ListedBusiness } from "../directory/listing.ts";
import { isSlug } from "../directory/slug.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { IS_GONE } from "./settings.ts";
import { type AskMeilisearch, type Matches, type Search, sharedBy } from "./shared.ts";
import { isOutcode, searchWords } from "./words.ts";

export type { Search };

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
 * `total` counts all matches in the index, but for what is marked there as gone. Businesses that the
 * index still holds although they are no longer approved are never among `items`: others take their
 * place, and those that were met are not counted.
 * @throws SearchUnavailable
 */
export async function searchBusinesses(
  search: Search,
  { text, limit, offset = 0, city, category }: SearchQuery,
): Promise<{ items: ListedBusiness[]; total: number }> {
  const words = searchWords(text).slice(0, MOST_WORDS);
  const areSlugs = [city, category].every((slug) => slug === undefined || isSlug(slug));
  if (words.length === 0 || !areSlugs) return { items: [], total: 0 };

  const filter = [
    `NOT ${IS_GONE}`,
    ...(city === undefined ? [] : [`citySlug = "${city}"`]),
    ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
  ];
  const { askMeilisearch, findListed } = sharedBy(search);
  const until = performance.now() + TIMEOUT_MS;
  const ask = (runs: Run[], part: Part) =>
    findFirst(askMeilisearch, runs, { indexUid: search.index, ...part, filter }, until);

  // All runs of a length at once: they are few, and each request may have to queue.
  for (const equallyLong of runs(words)) {
    const found = await ask(equallyLong, { offset, limit });
    if (!found) continue;
    const items = await findListed(found.ids);
    const gone = found.ids.length - items.length;
    if (gone === 0) return { items, total: found.total };

    const next = await ask([found.run], { offset: offset + limit, limit: SPARE });
    const nextIds = next?.ids ?? [];
    const others = await findListed(nextIds);
    return {
      items: [...items, ...others].slice(0, limit),
      total: found.total - gone - (nextIds.length - others.length),
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

/** Neighbouring words of the text. */
type Run = readonly string[];

/** Which of the matches are wanted. */
type Part = Required<Pick<SearchQuery, "offset" | "limit">>;

/** The matches of the first of these runs that has any. */
async function findFirst(
  askMeilisearch: AskMeilisearch,
  runs: readonly Run[],
  parameters: Part & { indexUid: string; filter: string[] },
  until: number,
): Promise<({ run: Run } & Matches) | null> {
  const asked = runs.map((run) => {
    const query = {
      ...parameters,
      q: toQuestion(run),
      matchingStrategy: "all" as const,
      attributesToRetrieve: ["id"],
    };
    return askMeilisearch({ query, until });
  });
  try {
    const answers = await withDeadline(Promise.all(asked), Math.max(0, until - performance.now()));
    for (const [place, run] of runs.entries()) {
      const answer = answers[place];
      if (!answer) throw new DeadlineError("its turn came too late");
      if (answer.total > 0) return { run, ...answer };
    }
    return null;
  } catch (error) {
    if (!(error instanceof MeilisearchError || error instanceof DeadlineError)) throw error;
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
 * All words, then the shorter runs, together with those of the same length: the longest first, then
 * from left to right. Those are of the first few words only, since their number grows with the
 * square.
 */
function* runs(words: readonly string[]): Generator<Run[]> {
  yield [words];
  const first = words.slice(0, MOST_WORDS_IN_RUNS);
  for (let length = Math.min(first.length, words.length - 1); length > 0; length--) {
    const starts = Array.from({ length: first.length - length + 1 }, (_, start) => start);
    yield starts.map((start) => first.slice(start, start + length));
  }
}
