import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../scripts/stack/waiting.ts";
import type { Answer } from "../../src/http/answer.ts";
import { notFound } from "../../src/http/errors.ts";
import { LONGEST_HANDLING_MS } from "../../src/middleware/answerInTime.ts";
import { takeTurns } from "../../src/middleware/takeTurns.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { addBusiness } from "../fixtures.ts";
import {
  countBlocked,
  createContext,
  startTestServer,
  type TestServer,
  untilBlocked,
} from "../support.ts";

/** Requests that are answered on command. */
function held() {
  const begun: { name: string; answer(): void }[] = [];
  const callerOf = (request: Request) => request.headers.get("Authorization") ?? "";
  const handler = takeTurns(callerOf)((request) => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const name = callerOf(request) + new URL(request.url).search.slice(1);
    begun.push({ name, answer: () => resolve(notFound()) });
    return promise;
  });
  const ask = async (caller: string, number = 0) =>
    handler(
      new Request(`http://localhost/?${number}`, { headers: { Authorization: caller } }),
      createContext(),
    );
  const names = () => begun.map(({ name }) => name).join(" ");
  return { ask, begun, names };
}

test("four requests of a caller are handled at a time, in order, without delaying other callers", async () => {
  const { ask, begun, names } = held();
  const greedy = [0, 1, 2, 3, 4, 5].map((number) => ask("a", number));
  const other = ask("b");
  await until(() => names() === "a0 a1 a2 a3 b0", 5_000);
  begun[4]?.answer();
  expect(await other).toEqual(notFound());
  begun[2]?.answer();
  await greedy[2];
  await until(() => names() === "a0 a1 a2 a3 b0 a4", 5_000);
  for (const { answer } of begun) answer();
  await until(() => names() === "a0 a1 a2 a3 b0 a4 a5", 5_000);
  begun[6]?.answer();
  await Promise.all(greedy);
});

test("a caller whose requests are answered is forgotten", async () => {
  let callers = 0;
  const handler = takeTurns(() => `caller ${callers++}`)(() => notFound());
  const request = new Request("http://localhost/");
  const askAll = async () => {
    for (let time = 0; time < 20_000; time++) await handler(request, createContext());
    Bun.gc(true);
    return heapStats().objectCount;
  };
  const first = await askAll();
  // One object of each would be kept at least.
  expect((await askAll()) - first).toBeLessThan(10_000);
});

test("later requests take the slots of those that have ended, and no more", async () => {
  const { ask, begun } = held();
  const asked = [0, 1, 2, 3].map((number) => ask("a", number));
  await setImmediate();
  begun[0]?.answer();
  await asked[0];
  asked.push(ask("a", 4), ask("a", 5));
  await setImmediate();
  expect(begun).toHaveLength(5);
  begun[1]?.answer();
  await until(() => begun.length === 6, 5_000);
  for (const { answer } of begun) answer();
  await Promise.all(asked);
});

test("a request that waits too long is refused in time, and takes no slot from those still waiting", async () => {
  const { ask, begun, names } = held();
  const handled = [0, 1, 2, 3].map((number) => ask("a", number));
  const askedAt = performance.now();
  await expect(ask("a", 4)).rejects.toThrow(DeadlineError);
  expect(performance.now() - askedAt).toBeLessThan(LONGEST_HANDLING_MS);
  const next = ask("a", 5);
  begun[0]?.answer();
  await handled[0];
  await until(() => names() === "a0 a1 a2 a3 a5", 5_000);
  for (const { answer } of begun) answer();
  expect(await next).toEqual(notFound());
});

test("a request that fails frees its slot for the next", async () => {
  const handler = takeTurns(() => "")(async () => {
    throw new Error("a store is away");
  });
  const ask = async () => handler(new Request("http://localhost/"), createContext());
  const all = await Promise.allSettled(Array.from({ length: 9 }, ask));
  const reasons = all.map((result) => result.status === "rejected" && result.reason.message);
  expect(reasons).toEqual(Array(9).fill("a store is away"));
});

test("a key is one caller, however its scheme is written", async () => {
  await using server = await startTestServer();
  await addBusiness(server.sql, { slug: "a-shop" });
  await server.searchable("a-shop");
  const key = await server.issueKey();
  const searches: Promise<Response>[] = [];
  await server.sql.begin(async (transaction) => {
    // Each search reads this table, to see whether words name a town.
    await transaction`lock table cities in access exclusive mode`;
    for (const scheme of ["Bearer ", "bearer ", "Bearer  "]) {
      const headers = { Authorization: scheme + key };
      for (let turn = 0; turn < 4; turn++) {
        searches.push(fetch(`${server.url}/api/v1/search?q=no+such+thing`, { headers }));
      }
    }
    expect(await blockedOnceSettled(server, 4)).toBe(4);
  });
  await Promise.all(searches);
});

for (const [path, what] of [
  ["/sitemaps/cities-1.xml", "sitemap files"],
  ["/search?q=no+such+thing", "pages of results"],
] as const) {
  test(`a client that requests many ${what} queues alone`, async () => {
    await using server = await startTestServer();
    const { slug } = await addBusiness(server.sql);
    // The search sync reads the towns as well.
    await server.searchable(slug);
    const answers: Promise<Response>[] = [];
    const ask = (client: string) =>
      fetch(server.url + path, { headers: { "X-Forwarded-For": client } });
    await server.sql.begin(async (transaction) => {
      await transaction`lock table cities in access exclusive mode`;
      for (let turn = 0; turn < 8; turn++) answers.push(ask("192.0.2.1"));
      await untilBlocked(server.sql, 4);
      answers.push(ask("192.0.2.2"));
      expect(await blockedOnceSettled(server, 5)).toBe(5);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
}

/** How many statements are blocked once at least `count` are and others have had time to follow. */
async function blockedOnceSettled({ sql }: TestServer, count: number): Promise<number> {
  await untilBlocked(sql, count);
  // Enough time for the others, if they were not queued.
  await Bun.sleep(500);
  return await countBlocked(sql);
}
