import { expect, test } from "bun:test";
import { forgetTasks, SearchTaskError, waitForTask } from "../../src/search/tasks.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { stores, uniqueIndex } from "../support.ts";

const task = {
  taskUid: 1,
  indexUid: "",
  status: "enqueued",
  type: "indexCreation",
  enqueuedAt: "",
} as const;

test("waiting for a task ends with the reason of its signal, also during a request", async () => {
  const reason = new Error("enough");
  const stopping = new AbortController();
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      stopping.abort(reason);
      return new Promise<Response>(() => {});
    },
  });
  const waiting = waitForTask(openMeilisearch(silent.url.href, ""), task, stopping.signal);
  await expect(waiting).rejects.toBe(reason);
  await silent.stop(true);
});

test("a Meilisearch that does not answer is not waited for forever", async () => {
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Promise<Response>(() => {}),
  });
  const { signal } = new AbortController();
  const waiting = waitForTask(openMeilisearch(silent.url.href, ""), task, signal, 100);
  await expect(waiting).rejects.toBeInstanceOf(DeadlineError);
  await silent.stop(true);
});

test("a task that an operator has cancelled is waited for no longer", async () => {
  const answer = { uid: 1, status: "canceled", type: "indexCreation", error: null };
  const meilisearch = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json(answer),
  });
  const signal = AbortSignal.timeout(5_000);
  const waiting = waitForTask(openMeilisearch(meilisearch.url.href, ""), task, signal);
  await expect(waiting).rejects.toThrow(
    new SearchTaskError(
      "Meilisearch did not finish indexCreation (task 1, canceled): no reason given",
    ),
  );
  await meilisearch.stop(true);
});

test("old tasks of an index are forgotten, those of others and later ones are not", async () => {
  const { meili, index } = uniqueIndex();
  const other = uniqueIndex().index;
  const { signal } = new AbortController();
  const known = async (uid: string) => (await meili.tasks.getTasks({ indexUids: [uid] })).total;
  for (const uid of [index, index, other]) {
    await meili
      .index(uid)
      .addDocuments([{ id: 1 }])
      .waitTask();
  }
  await forgetTasks(meili, [index], signal, { fewest: 1 });
  expect(await known(index)).toBe(2);
  await forgetTasks(meili, [index], signal, { keptMs: 0, fewest: 3 });
  expect(await known(index)).toBe(2);
  await forgetTasks(meili, [index], signal, { keptMs: 0, fewest: 2 });
  expect([await known(index), await known(other)]).toEqual([0, 1]);
  await Promise.all([meili.deleteIndex(index), meili.deleteIndex(other)]);
});

test("a key that may not delete tasks leaves them", async () => {
  const { meili, index } = uniqueIndex();
  const { key } = await meili.createKey({
    actions: ["tasks.get"],
    indexes: ["*"],
    expiresAt: null,
  });
  await meili.deleteIndex(index).waitTask();
  const limited = openMeilisearch(stores().meiliUrl, key);
  const { signal } = new AbortController();
  await forgetTasks(limited, [index], signal, { keptMs: 0, fewest: 1 });
  expect((await meili.tasks.getTasks({ indexUids: [index] })).total).toBe(1);
  await meili.deleteKey(key);
});
