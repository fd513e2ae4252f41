import { expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import type { Answer } from "../../src/http/answer.ts";
import { notFound } from "../../src/http/errors.ts";
import { takeTurns } from "../../src/middleware/takeTurns.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { addBusiness } from "../fixtures.ts";
import { createContext, startTestServer, untilBlocked } from "../support.ts";

/** Requests that are answered when they are told to be. */
function held() {
  const begun: { caller: string; answer(): void }[] = [];
  const handler = takeTurns((request) => request.headers.get("Authorization") ?? "")((request) => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const caller = request.headers.get("Authorization") ?? "";
    begun.push({ caller, answer: () => resolve(notFound()) });
    return promise;
  });
  const ask = async (caller: string) =>
    handler(
      new Request("http://localhost/", { headers: { Authorization: caller } }),
      createContext(),
    );
  const callers = () => begun.map(({ caller }) => caller).join("");
  return { ask, begun, callers };
}

test("four requests of a caller are handled at a time, in their order, and those of others meanwhile", async () => {
  const { ask, begun, callers } = held();
  const greedy = Array.from({ length: 6 }, () => ask("a"));
  const other = ask("b");
  await until(() => callers() === "aaaab", 5_000);
  begun[4]?.answer();
  expect(await other).toEqual(notFound());
  begun[2]?.answer();
  await greedy[2];
  await until(() => callers() === "aaaaba", 5_000);
  for (const { answer } of begun) answer();
  await until(() => callers() === "aaaabaa", 5_000);
  begun[6]?.answer();
  await Promise.all(greedy);
});

test("whoever waits for too long is refused, and takes no turn of those who still wait", async () => {
  const { ask, begun, callers } = held();
  const handled = Array.from({ length: 4 }, () => ask("a"));
  const late = ask("a");
  await expect(late).rejects.toThrow(DeadlineError);
  const next = ask("a");
  begun[0]?.answer();
  await handled[0];
  await until(() => callers() === "aaaaa", 5_000);
  for (const { answer } of begun) answer();
  expect(await next).toEqual(notFound());
});

test("a request that fails gives its turn to the next", async () => {
  const handler = takeTurns(() => "")(async () => {
    throw new Error("a store is away");
  });
  const ask = async () => handler(new Request("http://localhost/"), createContext());
  const all = await Promise.allSettled(Array.from({ length: 9 }, ask));
  const reasons = all.map((result) => result.status === "rejected" && result.reason.message);
  expect(reasons).toEqual(Array(9).fill("a store is away"));
});

test("a key is one caller, however the scheme before it is written", async () => {
  const server = await startTestServer();
  try {
    await addBusiness(server.sql, { slug: "a-shop" });
    await server.searchable("a-shop");
    const key = await server.issueKey();
    const searches: Promise<Response>[] = [];
    await server.sql.begin(async (transaction) => {
      // To know whether words name a town, each search that finds nothing reads it.
      await transaction`lock table cities in access exclusive mode`;
      for (const scheme of ["Bearer ", "bearer ", "Bearer  "]) {
        const headers = { Authorization: scheme + key };
        for (let turn = 0; turn < 4; turn++) {
          searches.push(fetch(`${server.url}/api/v1/search?q=no+such+thing`, { headers }));
        }
      }
      await untilBlocked(server.sql, 4);
      // Time enough for the others, if they did not wait for their turn.
      await Bun.sleep(500);
      const [{ blocked }] = await server.sql<[{ blocked: number }]>`
        select count(*)::integer as blocked from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(blocked).toBe(4);
    });
    await Promise.all(searches);
  } finally {
    await server.stop();
  }
});
