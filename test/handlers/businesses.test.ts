import { afterAll, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import { openPageFile } from "../../src/directory/kept-pages.ts";
import { createPageCache } from "../../src/directory/page-cache.ts";
import { keptAnswers } from "../../src/handlers/answer-cache.ts";
import { listKeyed, listOpen, showKeyed, showOpen } from "../../src/handlers/businesses.ts";
import { LONGEST_HANDLING_MS } from "../../src/middleware/answerInTime.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { createContext, createDatabase, silent } from "../support.ts";

const database = await createDatabase();
afterAll(() => database.drop());

test("a list or a detail that still waits when its caller has left is never read", async () => {
  await using sql = openPostgres(database.url);
  const file = openPageFile(tmpdir(), 0);
  const cache = await createPageCache(sql, file, silent, keptAnswers);
  const handlers = [listOpen, listKeyed, showOpen, showKeyed].map((of) => of({ sql, cache }));
  const request = new Request("http://localhost/");
  const ask = (number: number) =>
    handlers.map(async (handler) =>
      handler(request, { ...createContext(), query: `page=${number}`, segment: `shop-${number}` }),
    );

  const begun: Promise<unknown>[] = [];
  let waiting: Promise<unknown> | undefined;
  await database.sql.begin(async (transaction) => {
    await transaction`lock table businesses, listing_counts`;
    // Each turn begins a query of each handler, until there are as many as may be in flight.
    for (let number = 1; number <= 32; number++) {
      begun.push(...ask(number));
      await setImmediate();
    }
    waiting = Promise.allSettled(ask(33));
    await Bun.sleep(LONGEST_HANDLING_MS + 100);
  });
  await Promise.all(begun);
  const late = { status: "rejected", reason: expect.any(DeadlineError) };
  expect(await waiting).toEqual([late, late, late, late]);
  await cache.stop();
  file.close();
}, 20_000);
