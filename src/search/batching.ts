import { availableParallelism } from "node:os";
import { MeilisearchError, type MultiSearchParams, type MultiSearchQuery } from "meilisearch";
import { findListed, type ListedBusiness } from "../directory/listed.ts";
import { batched } from "../store/batches.ts";
import { type Meilisearch, NOT_MEILISEARCH } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";

/**
 * The two queries that a search consists of, batched with those of other searches. Meilisearch works on as many
 * requests at a time as it has cores, and takes the rest in no order. So they queue here instead, where the
 * search that began first comes first, and several go in one request; their businesses are read in one
 * statement. That halves what a search costs on top of Meilisearch's own work.
 * @param workers processes of this server, which share the machine
 */
export function batchQueries(sql: Sql, meili: Meilisearch, workers: number) {
  return {
    /** Fails with DeadlineError when the answer would have come too late. */
    askMeilisearch: batched((queries: QueryUntil[]) => ask(meili, queries), {
      batchSize: BATCH_SIZE,
      // One for each core of Meilisearch, whose machine is taken to be like this one, and one more that is
      // waiting when it finishes another. With twice as many or more, each takes longer.
      concurrency: Math.max(1, Math.floor((availableParallelism() + 1) / workers)),
      deadlineOf: ({ until }) => until - LEAST_MS,
    }),
    /** The approved ones of these businesses, in the order of `ids`. */
    findListed: batched((lists: (readonly string[])[]) => findLists(sql, lists), {
      batchSize: BATCH_SIZE,
      concurrency: CONCURRENT_STATEMENTS,
    }),
  };
}

interface QueryUntil {
  query: MultiSearchQuery;
  /** The deadline of the answer, on the clock of `performance`. */
  until: number;
}

export interface Matches {
  /** Those of the page that was asked for, best first. */
  ids: string[];
  /** The number of all matches. */
  total: number;
}

/** More than there are connections; see CONCURRENT_QUERIES of handlers/businesses.ts. */
const CONCURRENT_STATEMENTS = 32;
/** Few, since Meilisearch works on the queries of a request one by one, and answers once all are done. */
const BATCH_SIZE = 8;
/**
 * A query with fewer milliseconds left is dropped, since its answer would probably come too late. Under
 * overload, queries have waited for nearly all of their time when their turn comes: if only those past their
 * deadline were dropped, Meilisearch would work on nothing but answers that come too late.
 */
const LEAST_MS = 500;

async function ask(meili: Meilisearch, queries: readonly QueryUntil[]): Promise<Matches[]> {
  const last = Math.max(...queries.map(({ until }) => until));
  const answer = await meili.multiSearch<MultiSearchParams, { id: string }>(
    { queries: queries.map(({ query }) => query) },
    { signal: AbortSignal.timeout(last - performance.now()) },
  );
  // The client takes any JSON for an answer, and none at all.
  if (answer?.results?.length !== queries.length) throw new MeilisearchError(NOT_MEILISEARCH);
  return answer.results.map(({ hits, estimatedTotalHits: total = 0 }) => {
    return { ids: hits.map(({ id }) => id), total };
  });
}

async function findLists(
  sql: Sql,
  lists: readonly (readonly string[])[],
): Promise<ListedBusiness[][]> {
  const listed = await findListed(sql, [...new Set(lists.flat())]);
  const byId = new Map(listed.map((business) => [business.id, business]));
  return lists.map((ids) => ids.flatMap((id) => byId.get(id) ?? []));
}
