import { grouped } from "../../src/numbers.ts";
import { findTowns } from "../../src/search/place.ts";
import { toQueryText } from "../../src/search/query-text.ts";
import { IS_GONE, SEARCH_INDEX } from "../../src/search/settings.ts";
import { searchWords } from "../../src/search/words.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { until } from "../stack/waiting.ts";
import { askAll } from "./ask.ts";
import { KEYS, writeKeys } from "./callers.ts";
import { compare, type Subject } from "./compare.ts";
import { recordLists } from "./lists.ts";
import { startOneQuery, startTested } from "./programs.ts";
import { writeRequests } from "./requests.ts";
import { type Bench, type Measured, type Scenario, toMeasured } from "./scenario.ts";
import { drawSearches } from "./searches.ts";

/** Scenarios with the cache off: what a cache miss costs. */
export const uncached: Scenario[] = [
  { name: "uncached", title: "keyed list with the cache off", measure: againstOneQuery },
  {
    name: "search",
    title: "search, 10,000 distinct queries, cache off",
    measure: againstMeilisearch,
  },
  { name: "depth", title: "last page against page 1, cache off", measure: againstFirstPage },
];

async function againstOneQuery(bench: Bench): Promise<Measured> {
  const { supervisor, directory, rounds } = bench;
  const { requestsFile, mix } = await recordLists(bench);
  const callersFile = await writeKeys(directory.sql, bench.file("keys.txt"));
  const traffic = { requestsFile, callersFile };
  const baseline = await startOneQuery(supervisor, directory);
  try {
    return await withUncached(bench, async (url) => {
      await warmUpKeys(bench, url, callersFile);
      const comparison = await compare({ url, traffic }, { url: baseline.url, traffic }, rounds);
      return {
        ...toMeasured(comparison, { title: "one query", atLeast: 0.8 }),
        mix,
        notes: [WARMED_UP],
      };
    });
  } finally {
    await baseline.daemon.stop();
  }
}

/** Sends Meilisearch the server's own first query: for the ids of businesses that match all words. */
async function againstMeilisearch(bench: Bench): Promise<Measured> {
  const { sql, env } = bench.directory;
  const queries = await drawSearches(sql, Math.min(bench.different, 10_000));
  const requests = queries.map((query) => ({
    path: `/api/v1/search?q=${encodeURIComponent(query)}`,
  }));
  const directRequests = await Promise.all(
    queries.map(async (query) => {
      const words = searchWords(query);
      return {
        path: `/indexes/${SEARCH_INDEX}/search`,
        headers: { "Content-Type": "application/json", "Accept-Encoding": "identity" },
        body: JSON.stringify({
          q: toQueryText(words, await findTowns(sql, words)),
          limit: 20,
          attributesToRetrieve: ["id"],
          matchingStrategy: "all",
          filter: [`NOT ${IS_GONE}`],
        }),
      };
    }),
  );
  const { requestsFile, mix } = await writeRequests(bench.file("searches.txt"), requests);
  const direct = await writeRequests(bench.file("searches-direct.txt"), directRequests);
  const callersFile = await writeKeys(sql, bench.file("keys.txt"));
  const directCallersFile = bench.file("meilisearch-callers.txt");
  await Bun.write(directCallersFile, `Authorization: Bearer ${env.MEILI_KEY}\n`, { mode: 0o600 });
  const meilisearch = {
    url: env.MEILI_URL ?? "",
    traffic: { requestsFile: direct.requestsFile, callersFile: directCallersFile },
  };
  return withUncached(bench, async (url) => {
    await untilIndexed(sql);
    // A cold index answers so slowly at first that the server's searches would time out.
    await askAll(meilisearch.url, meilisearch.traffic, () => {});
    await warmUpKeys(bench, url, callersFile);
    const comparison = await compare(
      { url, traffic: { requestsFile, callersFile } },
      meilisearch,
      bench.rounds,
    );
    return {
      ...toMeasured(comparison, { title: "Meilisearch", atLeast: 0.85 }),
      mix,
      notes: [WARMED_UP],
    };
  });
}

/**
 * Sends one request with each key. Otherwise the rounds would measure how the server looks up ten thousand
 * keys for the first time, which costs as much as everything else it does for a search.
 */
async function warmUpKeys(bench: Bench, url: string, callersFile: string): Promise<void> {
  const lists = Array.from({ length: KEYS }, (_, index) => ({
    path: `/api/v1/businesses?page=${index + 1}`,
  }));
  const { requestsFile } = await writeRequests(bench.file("meeting.txt"), lists);
  await askAll(url, { requestsFile, callersFile }, () => {});
}

const WARMED_UP = "each key was used once before";

/** Waits until Meilisearch has indexed the changes of an earlier benchmark. */
async function untilIndexed(sql: Sql): Promise<void> {
  const isIndexed = async () => (await sql`select from search_changes limit 1`).length === 0;
  await until(isIndexed, 600_000);
}

/**
 * The ratio is that of the median latencies, so smaller is better. Over one connection, since concurrent
 * requests for the same page share one query.
 */
async function againstFirstPage(bench: Bench): Promise<Measured> {
  return withUncached(bench, async (url) => {
    const first = "/api/v1/businesses";
    const answer = await fetch(url + first);
    const { pages } = (await answer.json()) as { pages: number };
    const last = `${first}?page=${pages}`;
    const subject = async (path: string, name: string): Promise<Subject> => {
      const { requestsFile } = await writeRequests(bench.file(name), [{ path }]);
      return { url, traffic: { requestsFile, callersFile: null } };
    };
    const comparison = await compare(
      await subject(last, "last-page.txt"),
      await subject(first, "first-page.txt"),
      { ...bench.rounds, connections: 1, figure: ({ p50Ms }) => p50Ms },
    );
    return {
      ...toMeasured(comparison, { title: "page 1", atLeast: 0 }),
      goal: "p50 at most 2 times",
      isReached: comparison.ratio <= 2,
      notes: [`over one connection; the last page is number ${grouped(pages)}`],
    };
  });
}

async function withUncached(
  { supervisor, directory }: Bench,
  measure: (url: string) => Promise<Measured>,
): Promise<Measured> {
  const server = await startTested(supervisor, directory, { name: "uncached", cache: false });
  try {
    return await measure(server.url);
  } finally {
    await server.daemon.stop();
  }
}
