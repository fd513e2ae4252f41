import { MeilisearchApiError, MeilisearchError } from "meilisearch";
import type { ListedBusiness } from "../directory/listed.ts";
import type { ListQuery } from "../directory/listing.ts";
import { isSlug } from "../directory/slug.ts";
import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { isKeyRefused } from "../store/meilisearch.ts";
import { attempts } from "./attempts.ts";
import { type AskMeilisearch, batchQueries, type Matches } from "./batching.ts";
import { IS_GONE, type SearchStore } from "./settings.ts";
import { MOST_WORDS, mayBeUnfinished, searchWords, type Words } from "./words.ts";

/** A text; otherwise what a list is asked for. */
interface SearchQuery extends Omit<ListQuery, "offset"> {
  text: string;
  offset?: number;
}

/** Meilisearch cannot be reached, is too slow, or has no index yet. */
export class SearchUnavailable extends Error {}

/**
 * Approved businesses that match all words of a text, in whatever order, best first; see settings.ts
 * for the ranking. Typing errors are forgiven, and a last word of four letters or more may be
 * unfinished. Words after the tenth are not looked at. When no business matches all the words, fewer
 * of them are searched for, and the answer says which; see attempts.ts. A text without words finds nothing.
 *
 * `total` counts all matches in the index, except those marked as gone there. Businesses that the index
 * still holds although they are no longer approved are never among `items`: others take their place,
 * and those that were found are subtracted from `total`.
 * @throws SearchUnavailable
 */
export type Search = (query: SearchQuery) => Promise<Found>;

/**
 * A process makes one for all its requests: only searches of the same one go in batches together.
 * @param workers processes of this server
 */
export function createSearch({ sql, meili, index }: SearchStore, workers = 1): Search {
  const { askMeilisearch, findListed } = batchQueries(sql, meili, workers);
  return async function search({ text, limit, offset = 0, city, category }) {
    const words = searchWords(text).slice(0, MOST_WORDS);
    const areSlugs = [city, category].every((slug) => slug === undefined || isSlug(slug));
    if (words.length === 0 || !areSlugs) return NOTHING;

    const filter = [
      `NOT ${IS_GONE}`,
      ...(city === undefined ? [] : [`citySlug = "${city}"`]),
      ...(category === undefined ? [] : [`categorySlugs = "${category}"`]),
    ];
    const until = performance.now() + TIMEOUT_MS;
    const ask = (texts: Words[], part: Part, within = filter) =>
      findFirst(askMeilisearch, texts, { indexUid: index, ...part, filter: within }, until);

    const anywhere = [`NOT ${IS_GONE}`];
    const findTown = async (district: string) => {
      const there = await ask([[district]], { offset: 0, limit: SAMPLE }, anywhere);
      return searchWords(townOfMost(await findListed(there?.ids ?? [])));
    };

    const findKnown = async (texts: readonly Words[]) => {
      const answers = await Promise.all(texts.map((text) => ask([text], { offset: 0, limit: 0 })));
      return texts.filter((_text, place) => answers[place]);
    };

    // In quotation marks, Meilisearch forgives no typing errors.
    const findSpelled = async (words: Words) => {
      const quoted = words.map((word) => [`"${word}"`]);
      const part = { offset: 0, limit: 0 };
      const answers = await Promise.all(quoted.map((text) => ask([text], part, anywhere)));
      return words.filter((_word, place) => answers[place]);
    };

    // All texts of a step at once: they are few, and each request may have to queue.
    for await (const texts of attempts(sql, words, { findTown, findKnown, findSpelled })) {
      const found = await ask(texts, { offset, limit });
      if (!found) continue;
      const instead = found.words === words ? null : found.words.join(" ");
      const items = await findListed(found.ids);
      const gone = found.ids.length - items.length;
      if (gone === 0) return { items, total: found.total, instead };

      const next = await ask([found.words], { offset: offset + limit, limit: SPARE });
      const nextIds = next?.ids ?? [];
      const others = await findListed(nextIds);
      return {
        items: [...items, ...others].slice(0, limit),
        total: found.total - gone - (nextIds.length - others.length),
        instead,
      };
    }
    return NOTHING;
  };
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

/** Businesses of a district that are asked for to tell its town: several, since some addresses are wrong. */
const SAMPLE = 20;

/** The town that most of them are in, or "". */
function townOfMost(businesses: readonly ListedBusiness[]): string {
  const towns = Map.groupBy(businesses, ({ cityName }) => cityName);
  const [most] = [...towns].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? "";
}

/** Milliseconds that Meilisearch has for all the steps of a search. */
const TIMEOUT_MS = 2_000;

/** Which of the matches are wanted. */
type Part = Pick<ListQuery, "offset" | "limit">;

/** The matches of the first of these texts that has any. */
async function findFirst(
  askMeilisearch: AskMeilisearch,
  texts: readonly Words[],
  parameters: Part & { indexUid: string; filter: string[] },
  until: number,
): Promise<({ words: Words } & Matches) | null> {
  const asked = texts.map((words) => {
    const query = {
      ...parameters,
      q: toQuestion(words),
      matchingStrategy: "all" as const,
      attributesToRetrieve: ["id"],
    };
    return askMeilisearch({ query, until });
  });
  try {
    const answers = await withDeadline(Promise.all(asked), until - performance.now());
    for (const [place, words] of texts.entries()) {
      const answer = answers[place];
      if (!answer) throw new DeadlineError("its turn came too late");
      if (answer.total > 0) return { words, ...answer };
    }
    return null;
  } catch (error) {
    // A SyntaxError: a proxy answered in its place, with something that is not JSON.
    const isAway = [MeilisearchError, DeadlineError, SyntaxError].some((of) => error instanceof of);
    if (!isAway) throw error;
    // Its message is that of its cause again, and the log would show both.
    if (error instanceof MeilisearchApiError && error.cause) {
      const why = isKeyRefused(error)
        ? "Meilisearch refuses MEILI_KEY"
        : "Meilisearch refused to answer";
      throw new SearchUnavailable(why, { cause: error.cause });
    }
    throw new SearchUnavailable("Meilisearch did not answer", { cause: error });
  }
}

/** Meilisearch treats the last word as unfinished unless a space follows. */
export function toQuestion(words: Words): string {
  return words.join(" ") + (mayBeUnfinished(words.at(-1) ?? "") ? "" : " ");
}
