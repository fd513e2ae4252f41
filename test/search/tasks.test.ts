import { expect, test } from "bun:test";
import { SearchTaskError, waitForTask } from "../../src/search/tasks.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";

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
