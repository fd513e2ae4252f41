import { MeilisearchApiError, MeilisearchError } from "meilisearch";
import type { ListedBusiness } from "../directory/listed.ts";
import type { ListQuery } from "../directory/listing.ts";
import { isSlug } from "../directory/slug.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { isKeyRefused } from "../store/meilisearch.ts";
import { attempts } from "./attempts.ts";
import { batchQueries, type Matches } from "./batching.ts";
import { IS_GONE, type SearchStore } from "./settings.ts";
import { MOST_WORDS, mayBeUnfinished, searchWords, singular, type Words } from "./words.ts";

/** As for a list, with a text to search for. */
interface SearchQuery extends Omit<ListQuery, "offset"> {
  text: string;
  offset?: number;
}

/** Meilisearch cannot be reached, is too slow, or has no index yet. */
export class SearchUnavailable extends Error {}

/**
 * Approved businesses that match all words of a text, in any order, best first; see settings.ts for the
 * ranking. Typing errors are forgiven, and a last word of four letters or more may be unfinished. Words after
 * the tenth are ignored. When no business matches all the words, fewer of them are searched for, and the answer
 * says which; see attempts.ts. A text without words finds nothing.
 *
 * `total` counts all matches in the index, except those marked as gone there. Businesses that are still in the
 * index but no longer approved are never among `items`: others take their place, and as many as were met are
 * subtracted from `total`.
 * @throws SearchUnavailable
 */
export type Search = (query: SearchQuery) => Promise<Found>;

/**
 * A process makes one for all its requests: only searches of the same one share batches.
 * @param workers processes of this server
 */
export function createSearch({ sql, meili, index }: SearchStore, workers = 1): Search {
  const { askMeilisearch, findListed } = batchQueries(sql, meili, workers);
  return async function search({ text, limit, offset = 0, city, category }) {
    const words = searchWords(text).slice(0, MOST_WORDS);
    const areSlugs = [city, category].every((slug) => slug === undefined || isSlug(slug));
    if (words.length === 0 || !areSlugs) return NOTHING;

    const anywhere = [`NOT ${IS_GONE}`];
    const filter = [
      ...anywhere,
      ...(city === undefined ? [] : [`citySlug = "${city}"`]),
      ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
    ];
    const until = performance.now() + TIMEOUT_MS;
    const ask = (queries: readonly Words[], page: Page, within = filter) =>
      findFirst(queries, { ...page, filter: within }, until);

    const lookups = {
      isKnown: async (words: Words) => (await ask([words], NO_MATCHES)) !== null,
      // In quotation marks, Meilisearch forgives no typing errors.
      isSpelled: async (word: string) => {
        const spellings = [[`"${word}"`], [`"${singular(word)}"`]];
        return (await ask(spellings, NO_MATCHES, anywhere)) !== null;
      },
      async findTown(district: string) {
        const there = await ask([[district]], { offset: 0, limit: SAMPLE }, anywhere);
        return searchWords(townOfMost(await findListed(there?.ids ?? [])));
      },
    };

    // The next matches take the place of those that are no longer approved.
    const list = async ({ words, ids, total }: MatchesOf) => {
      const items = await findListed(ids);
      if (items.length === ids.length) return { items, total };
      const next = await ask([words], { offset: offset + limit, limit: SPARE });
      const nextIds = next?.ids ?? [];
      const others = await findListed(nextIds);
      const gone = ids.length - items.length + nextIds.length - others.length;
      return { items: [...items, ...others].slice(0, limit), total: total - gone };
    };

    // All queries of a step at once: they are few, and each request may have to queue.
    for await (const queries of attempts(sql, words, lookups)) {
      const found = await ask(queries, { offset, limit });
      if (!found) continue;
      const instead = found.words === words ? null : found.words.join(" ");
      return { ...(await list(found)), instead };
    }
    return NOTHING;
  };

  /** The matches of the first of these queries that has any, or null. */
  async function findFirst(
    queries: readonly Words[],
    parameters: Page & { filter: string[] },
    until: number,
  ): Promise<MatchesOf | null> {
    const asked = queries.map((words) => {
      const query = {
        indexUid: index,
        ...parameters,
        q: toQueryText(words),
        matchingStrategy: "all" as const,
        attributesToRetrieve: ["id"],
      };
      return askMeilisearch({ query, until });
    });
    try {
      const answers = await withDeadline(Promise.all(asked), until - performance.now());
      for (const [at, words] of queries.entries()) {
        const matches = answers[at];
        if (!matches) throw new DeadlineError("its turn came too late");
        if (matches.total > 0) return { words, ...matches };
      }
      return null;
    } catch (error) {
      throw toUnavailable(error);
    }
  }
}

export interface Found {
  items: ListedBusiness[];
  total: number;
  /** The words that were searched for when nothing matches all of the text; otherwise null. */
  instead: string | null;
}

const NOTHING: Found = { items: [], total: 0, instead: null };

/** Matches asked for after the page, to fill it when the index lags. */
const SPARE = 20;

/** Businesses of a district that are looked at to tell its town: several, since some addresses are wrong. */
const SAMPLE = 20;

/** The town that most of these businesses are in, or "". */
function townOfMost(businesses: readonly ListedBusiness[]): string {
  const towns = Map.groupBy(businesses, ({ cityName }) => cityName);
  const [most] = [...towns].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? "";
}

/** Milliseconds for all the steps of a search. */
const TIMEOUT_MS = 2_000;

/** Which of the matches are wanted. */
type Page = Pick<ListQuery, "offset" | "limit">;

const NO_MATCHES: Page = { offset: 0, limit: 0 };

/** Matches, and the query that they are of. */
type MatchesOf = { words: Words } & Matches;

/** SearchUnavailable in place of any error of Meilisearch; other errors stay as they are. */
function toUnavailable(error: unknown): unknown {
  // Its message repeats that of its cause, and the log would show both.
  if (error instanceof MeilisearchApiError && error.cause) {
    const why = isKeyRefused(error)
      ? "Meilisearch refuses MEILI_KEY"
      : "Meilisearch refused to answer";
    return new SearchUnavailable(why, { cause: error.cause });
  }
  // A SyntaxError: a proxy answered in Meilisearch's place with something that is not JSON.
  const isAway = [MeilisearchError, DeadlineError, SyntaxError].some((of) => error instanceof of);
  return isAway ? new SearchUnavailable("Meilisearch did not answer", { cause: error }) : error;
}

/** Meilisearch treats the last word as unfinished unless a space follows. */
export function toQueryText(words: Words): string {
  return words.join(" ") + (mayBeUnfinished(words.at(-1) ?? "") ? "" : " ");
}
