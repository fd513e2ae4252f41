import { MeilisearchApiError, MeilisearchError } from "meilisearch";
import type { ListedBusiness } from "../directory/listed.ts";
import type { ListQuery } from "../directory/listing.ts";
import { isSlug } from "../directory/slug.ts";
import { StoreAway } from "../store/away.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { isKeyRefused } from "../store/meilisearch.ts";
import { attempts } from "./attempts.ts";
import { batchQueries, type Matches } from "./batching.ts";
import { bestOf } from "./choice.ts";
import { findTowns, withoutCounty } from "./place.ts";
import { type Query, queriesAround, queryFor } from "./query-text.ts";
import { IS_GONE, type SearchStore } from "./settings.ts";
import { normalised, queryWords, searchWords, singular, type Words } from "./words.ts";

/** As for a list, with a text to search for. */
interface SearchQuery extends Omit<ListQuery, "offset"> {
  text: string;
  offset?: number;
}

/** Meilisearch cannot be reached, is too slow, or has no index yet. */
export class SearchUnavailable extends StoreAway {}

/**
 * Approved businesses that match all words of a text, in any order, best first; see settings.ts for the
 * ranking. Typing errors are forgiven, and a last word of four letters or more may be unfinished, but not in a
 * town that is spelled right; a shorter one, too, in a name, when nothing matches all words as they are. Words
 * after the tenth are ignored. When no business matches all the words, fewer of them are searched for, and the
 * answer says which; see attempts.ts. A text without words finds nothing.
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
    const typed = queryWords(text);
    const areSlugs = [city, category].every((slug) => slug === undefined || isSlug(slug));
    if (typed.length === 0 || !areSlugs) return NOTHING;

    const anywhere = [`NOT ${IS_GONE}`];
    const filter = [
      ...anywhere,
      ...(city === undefined ? [] : [`citySlug = "${city}"`]),
      ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
    ];
    const until = performance.now() + TIMEOUT_MS;
    const towns = new Map(await findTowns(sql, typed));
    const words = withoutCounty(typed, towns);
    // Where a filter says where, the text says what: `bath` in Leeds means bathrooms there.
    const exact = city === undefined ? towns : new Map<string, boolean>();
    const ask = (queries: readonly Query[], page: Page, within = filter) =>
      askAll(queries, { ...page, filter: within }, until);
    /** Some businesses that match any of these queries, wherever they are. */
    const sample = async (queries: readonly Query[]) => {
      const found = await ask(queries, { offset: 0, limit: SAMPLE }, anywhere);
      return await findListed(found.flatMap(({ ids }) => ids));
    };

    const finds = async (query: Query) => {
      const [found] = await ask([query], NO_MATCHES);
      return found !== undefined && found.total > 0;
    };

    const lookups = {
      isKnown: (words: Words) => finds(queryFor(words, exact)),
      isNamed: (words: Words) => finds(queryFor(words, exact, { isName: true })),
      // In quotation marks, Meilisearch forgives no typing errors.
      async isSpelled(word: string) {
        const spellings = [{ q: `"${word}"` }, { q: `"${singular(word)}"` }];
        const found = await ask(spellings, NO_MATCHES, anywhere);
        return found.some(({ total }) => total > 0);
      },
      async townAround(district: string) {
        const there = await sample([queryFor([district])]);
        const town = townOfMost(there.length > 0 ? there : await sample(queriesAround(district)));
        const words = searchWords(town);
        // From now on it is spelled right: `exact` is the same map, unless a filter says where.
        for (const found of await findTowns(sql, words)) towns.set(...found);
        return words;
      },
    };

    // The next matches take the place of those that are no longer approved.
    const list = async ({ ids, total }: Matches, query: Query) => {
      const items = await findListed(ids);
      if (items.length === ids.length) return { items, total };
      const [next] = await ask([query], { offset: offset + limit, limit: SPARE });
      const nextIds = next?.ids ?? [];
      const others = await findListed(nextIds);
      const gone = ids.length - items.length + nextIds.length - others.length;
      return { items: [...items, ...others].slice(0, limit), total: total - gone };
    };

    // All queries of a step at once: they are few, and each request may have to queue.
    for await (const step of attempts(words, towns, lookups)) {
      const tried = step.map((attempt) => ({
        ...attempt,
        query: queryFor(attempt.words, exact, attempt),
      }));
      const answers = await ask(
        tried.map(({ query }) => query),
        { offset, limit },
      );
      const found = tried.map((attempt, at) => ({ ...attempt, matches: answers[at] as Matches }));
      const choose = () => bestOf(found, lookups.isSpelled);
      for (let best = await choose(); best; best = await choose()) {
        const page = await list(best.matches, best.query);
        const instead = best.words === words ? null : best.words.join(" ");
        if (page.total > 0) return { ...page, instead };
        // All that it matches is no longer approved.
        found.splice(found.indexOf(best), 1);
      }
    }
    return NOTHING;
  };

  /** What each of these queries matches. @throws SearchUnavailable */
  async function askAll(
    queries: readonly Query[],
    parameters: Page & { filter: string[] },
    until: number,
  ): Promise<Matches[]> {
    const asked = queries.map((query) => {
      const whole = {
        indexUid: index,
        ...parameters,
        ...query,
        matchingStrategy: "all" as const,
        attributesToRetrieve: ["id"],
      };
      return askMeilisearch({ query: whole, until });
    });
    try {
      return await withDeadline(Promise.all(asked), until - performance.now());
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

/** The name, as search has it, of the town that most of these businesses are in, or "". */
function townOfMost(businesses: readonly ListedBusiness[]): string {
  const towns = Map.groupBy(businesses, ({ cityName }) => normalised(cityName));
  const [most] = [...towns].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? "";
}

/** Milliseconds for all the steps of a search. */
const TIMEOUT_MS = 2_000;

/** Which of the matches are wanted. */
type Page = Pick<ListQuery, "offset" | "limit">;

const NO_MATCHES: Page = { offset: 0, limit: 0 };

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
