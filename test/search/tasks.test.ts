import { expect, test } from "bun:test";
import { finishTask } from "../../src/search/tasks.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";

test("waiting for a task ends with the reason it was given, also in the midst of a request", async () => {
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
  const task = {
    taskUid: 1,
    indexUid: "",
    status: "enqueued",
    type: "indexCreation",
    enqueuedAt: "",
  } as const;
  const waiting = finishTask(openMeilisearch(silent.url.href, ""), task, stopping.signal);
  await expect(waiting).rejects.toBe(reason);
  await silent.stop(true);
});
