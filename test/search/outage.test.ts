import { afterAll, describe, expect, test } from "bun:test";
import { createSearch, SearchUnavailable } from "../../src/search/query.ts";
import { type Meilisearch, openMeilisearch } from "../../src/store/meilisearch.ts";
import { createDatabase, stores, uniqueIndex } from "../support.ts";

const { sql, drop } = await createDatabase();
afterAll(drop);

const { meili, index } = uniqueIndex();

/** What a search with this client fails with. */
const failureWith = (client: Meilisearch) =>
  createSearch({ sql, meili: client, index })({ text: "boots", limit: 1 }).catch((error) => error);

describe("without Meilisearch", () => {
  test("a search fails as unavailable when it cannot be reached", async () => {
    const failure = await failureWith(openMeilisearch("http://127.0.0.1:9", ""));
    expect(failure).toBeInstanceOf(SearchUnavailable);
    expect(failure.cause).toBeDefined();
  });

  test("a search fails as unavailable when it does not answer in time", async () => {
    const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
    const failure = await failureWith(openMeilisearch(silent.url.href, ""));
    expect(failure).toBeInstanceOf(SearchUnavailable);
    await silent.stop(true);
  });

  test("a search fails as unavailable when a proxy before it says that it is away", async () => {
    using proxy = Bun.serve({
      port: 0,
      fetch: () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 }),
    });
    const failure = await failureWith(openMeilisearch(proxy.url.href, ""));
    expect(failure).toBeInstanceOf(SearchUnavailable);
  });

  test("a search fails as unavailable when another service answers in its place, and says so", async () => {
    for (const body of ["", "null", '{"status":"ok"}']) {
      using other = Bun.serve({ port: 0, fetch: () => new Response(body) });
      const failure = await failureWith(openMeilisearch(other.url.href, ""));
      expect(failure).toBeInstanceOf(SearchUnavailable);
      expect(failure.cause.message).toStartWith("what answers at MEILI_URL is not Meilisearch");
    }
  });

  test("a search fails as unavailable when it refuses the key, and says so", async () => {
    const failure = await failureWith(openMeilisearch(stores().meiliUrl, "wrong"));
    expect(failure).toBeInstanceOf(SearchUnavailable);
    expect(failure.message).toStartWith("Meilisearch refuses MEILI_KEY");
  });

  test("a search fails as unavailable when there is no index yet", async () => {
    expect(await failureWith(meili)).toBeInstanceOf(SearchUnavailable);
  });
});
