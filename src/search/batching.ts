import { availableParallelism } from "node:os";
import type { MultiSearchParams, MultiSearchQuery, MultiSearchResult } from "meilisearch";
import { findListed, type ListedBusiness } from "../directory/listed.ts";
import { batched } from "../store/batches.ts";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";

/**
 * The two queries that searches are made of, in batches with those of other searches. Meilisearch works
 * on as many requests at a time as it has cores, and of the others it takes any one next. Better that they
 * queue here, where the search that began first comes first, and then go in one request, and that their
 * businesses are read in one statement: that halves what a search costs beside Meilisearch's own work.
 * @param workers processes of this server, which share the machine
 */
export function batchQueries(sql: Sql, meili: Meilisearch, workers: number): BatchedQueries {
  return {
    askMeilisearch: batched((questions) => ask(meili, questions), {
      batchSize: BATCH_SIZE,
      // One for each core that Meilisearch has, if its machine is like this one, and one more that it finds
      // waiting when it is done with another. With twice as many or more, each takes longer.
      concurrency: Math.max(1, Math.floor((availableParallelism() + 1) / workers)),
      order: (a, b) => a.until - b.until,
    }),
    findListed: batched((lists) => findLists(sql, lists), {
      batchSize: BATCH_SIZE,
      concurrency: CONCURRENT_STATEMENTS,
    }),
  };
}

interface BatchedQueries {
  askMeilisearch: AskMeilisearch;
  /** The approved ones of these businesses, in the order of `ids`. */
  findListed(ids: readonly string[]): Promise<ListedBusiness[]>;
}

/** Null when the answer would have come too late. */
export type AskMeilisearch = (question: Question) => Promise<Matches | null>;

interface Question {
  query: MultiSearchQuery;
  /** When nobody waits for the answer any longer, on the clock of `performance`. */
  until: number;
}

export interface Matches {
  /** The part that was asked for, best first. */
  ids: string[];
  /** The number of all matches. */
  total: number;
}

/** More than there are connections; see CONCURRENT_QUESTIONS of handlers/businesses.ts. */
const CONCURRENT_STATEMENTS = 32;
/**
 * Few, since Meilisearch works on the queries of a request one after another, and answers only when it has
 * done them all.
 */
const BATCH_SIZE = 8;
/**
 * A question with fewer milliseconds left is dropped, since its answer would probably come too late. Under
 * overload, those whose turn comes have waited for nearly all of their time: if only what is already late
 * were dropped, Meilisearch would be busy with answers that come too late, and with no others.
 */
const LEAST_MS = 500;

async function ask(
  meili: Meilisearch,
  questions: readonly Question[],
): Promise<(Matches | null)[]> {
  const now = performance.now();
  const open = questions.filter(({ until }) => until - now >= LEAST_MS);
  if (open.length === 0) return questions.map(() => null);
  const { results } = await meili.multiSearch<MultiSearchParams, { id: string }>(
    { queries: open.map(({ query }) => query) },
    { signal: AbortSignal.timeout(Math.max(...open.map(({ until }) => until - now))) },
  );
  const answers = results.map(toMatches);
  return questions.map((question) => answers[open.indexOf(question)] ?? null);
}

const toMatches = ({ hits, estimatedTotalHits: total = 0 }: MultiSearchResult<{ id: string }>) => ({
  ids: hits.map(({ id }) => id),
  total,
});

async function findLists(
  sql: Sql,
  lists: readonly (readonly string[])[],
): Promise<ListedBusiness[][]> {
  const listed = await findListed(sql, [...new Set(lists.flat())]);
  const byId = new Map(listed.map((business) => [business.id, business]));
  return lists.map((ids) => ids.flatMap((id) => byId.get(id) ?? []));
}
