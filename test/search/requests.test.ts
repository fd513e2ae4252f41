import { describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { until } from "../../scripts/stack/waiting.ts";
import { batchQueries } from "../../src/search/batching.ts";
import { createSearch, type Found, SearchUnavailable } from "../../src/search/query.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { businesses, openDirectory } from "./directory.ts";
import { proxyMeilisearch } from "./proxy.ts";

const { sql, meili, index } = await openDirectory();

describe("requests to Meilisearch", () => {
  /** Of each request, the queries and the number of matches wanted. */
  const asks = async (text: string, limit: number) => {
    const asked: string[][] = [];
    await using recorder = proxyMeilisearch(({ body }, forward) => {
      const { queries } = JSON.parse(body) as { queries: { q: string; limit: number }[] };
      asked.push(queries.map(({ q, limit }) => `${q.trim()}: ${limit}`));
      return forward();
    });
    await createSearch({ sql, meili: recorder.meili, index })({ text, limit });
    return asked;
  };

  test("ask for the page that is wanted, and no more", async () => {
    expect(await asks("twin tyres", 2)).toEqual([["twin tyres: 2"]]);
  });

  test("ask for nothing shorter than a run of words that is found", async () => {
    expect(await asks("copper walls leeds", 5)).toEqual([
      ['copper walls "leeds": 5'],
      ['copper "leeds": 5', 'walls "leeds": 5'],
    ]);
  });

  test("ask for no run without the trade, if one with it is found", async () => {
    expect(await asks("copper plumber leeds", 5)).toEqual([
      ['copper plumber "leeds": 5'],
      ['plumber "leeds": 5'],
    ]);
  });

  test("ask for the town of an outcode once, if nothing is found there", async () => {
    expect(await asks("florist nr1", 5)).toEqual([
      ["florist nr1: 5"],
      ["nr1: 20"],
      ['florist "norwich": 5'],
    ]);
  });

  test("ask for all runs, first for those that may be names, one request per length, if no word is known", async () => {
    expect(await asks("xylophonist quokka zyzzyva", 5)).toEqual([
      ["xylophonist quokka zyzzyva: 5"],
      ["xylophonist quokka: 5", "quokka zyzzyva: 5"],
      ["xylophonist quokka: 5", "quokka zyzzyva: 5"],
      ["xylophonist: 5", "quokka: 5", "zyzzyva: 5"],
    ]);
  });
});

describe("concurrent searches", () => {
  const texts = [
    ...businesses.flatMap(({ name = "", city = "" }) => [name, `${name} ${city}`]),
    ...businesses.slice(0, 5).map(({ name }) => `emergency ${name}`),
  ];

  /** As many requests as Meilisearch is sent at a time, each of eight queries. */
  const AT_ONCE = availableParallelism() + 1;

  test("go to Meilisearch in few requests, and each gets its own answer", async () => {
    let requests = 0;
    await using counter = proxyMeilisearch((_request, forward) => {
      requests += 1;
      return forward();
    });
    const search = createSearch({ sql, meili: counter.meili, index });
    let tries = 0;
    /** Retries a search that has queued for too long, as some do on a busy machine. */
    const find = async (text: string, times = 5): Promise<Found> => {
      tries += 1;
      try {
        return await search({ text, limit: 3 });
      } catch (error) {
        if (!(error instanceof SearchUnavailable) || times === 0) throw error;
        return find(text, times - 1);
      }
    };

    const together = await Promise.all(texts.map((text) => find(text)));
    expect(requests).toBeLessThan(tries / 2);
    const apart = [];
    for (const text of texts) apart.push(await find(text));
    expect(together).toEqual(apart);
    expect(together.filter(({ total }) => total > 0).length).toBeGreaterThan(30);
  });

  test("go there eight to a request, and one more request at a time than it has cores", async () => {
    const asked: number[] = [];
    let underWay = 0;
    let mostUnderWay = 0;
    await using counter = proxyMeilisearch(async ({ body }, forward) => {
      asked.push(JSON.parse(body).queries.length);
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      // Otherwise the first could be answered before the last of them comes.
      await until(() => mostUnderWay >= AT_ONCE, 10_000);
      const answer = await forward();
      underWay -= 1;
      return answer;
    });
    const { askMeilisearch } = batchQueries(sql, counter.meili, 1);
    const query = { indexUid: index, q: "boots" };
    const ask = () => askMeilisearch({ query, until: performance.now() + 20_000 });
    await Promise.all(Array.from({ length: 8 * 3 * AT_ONCE }, ask));
    expect(asked).toEqual(Array(3 * AT_ONCE).fill(8));
    expect(mostUnderWay).toBe(AT_ONCE);
  });

  test("are answered also where more workers share Meilisearch than it has cores", async () => {
    const { askMeilisearch } = batchQueries(sql, meili, 2 * AT_ONCE);
    const query = { indexUid: index, q: "haddock" };
    const found = await askMeilisearch({ query, until: performance.now() + 20_000 });
    expect(found.total).toBeGreaterThan(0);
  });

  test("that would be answered too late get no answer, not even that of another", async () => {
    const { askMeilisearch } = batchQueries(sql, meili, 1);
    const ask = (q: string, ms: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until: performance.now() + ms });
    const asked = await Promise.allSettled([ask("boots", 400), ask("haddock", 20_000)]);
    expect<unknown>(asked).toEqual([
      { status: "rejected", reason: expect.any(DeadlineError) },
      { status: "fulfilled", value: await ask("haddock", 20_000) },
    ]);
  });

  test("are answered although another in the same request is too late by then", async () => {
    const soon = performance.now() + 1_000;
    await using slow = proxyMeilisearch(async (_request, forward) => {
      await until(() => performance.now() > soon, 10_000);
      return forward();
    });
    const { askMeilisearch } = batchQueries(sql, slow.meili, 1);
    const ask = (q: string, until: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until });
    const [, found] = await Promise.all([ask("boots", soon), ask("haddock", soon + 20_000)]);
    expect(found.total).toBeGreaterThan(0);
  });

  test("are sent in the order of their deadlines, so that a second step does not queue again", async () => {
    const asked: string[][] = [];
    const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
    await using slow = proxyMeilisearch(async ({ body }, forward) => {
      asked.push(JSON.parse(body).queries.map(({ q }: { q: string }) => q));
      await end;
      return forward();
    });
    const { askMeilisearch } = batchQueries(sql, slow.meili, 1);
    const ask = (q: string, ms: number) =>
      askMeilisearch({ query: { indexUid: index, q }, until: performance.now() + ms });

    const first = Array.from({ length: 8 * AT_ONCE }, () => ask("boots", 20_000));
    await until(() => asked.length === AT_ONCE, 10_000);
    const later = Array.from({ length: 8 }, () => ask("haddock", 20_000));
    const sooner = ask("linen", 10_000);
    endFirst();
    await Promise.all([...first, ...later, sooner]);
    const others = Array.from({ length: 7 }, () => "haddock");
    expect(asked.find((texts) => texts.includes("linen"))).toEqual(["linen", ...others]);
  });

  test("all fail in time when Meilisearch does not answer, including those still queued", async () => {
    let isSilent = true;
    await using silent = proxyMeilisearch((_request, forward) =>
      isSilent ? new Promise<Response>(() => {}) : forward(),
    );
    const search = createSearch({ sql, meili: silent.meili, index });
    const began = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 100 }, () =>
        search({ text: "boots", limit: 1 }).catch((error) => error),
      ),
    );
    expect(failures.every((failure) => failure instanceof SearchUnavailable)).toBe(true);
    expect(performance.now() - began).toBeLessThan(3_500);
    // Abandoned searches do not block later ones.
    isSilent = false;
    expect((await search({ text: "haddock", limit: 1 })).total).toBe(1);
  });
});
