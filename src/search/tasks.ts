import { setTimeout as sleep } from "node:timers/promises";
import { type EnqueuedTask, MeilisearchApiError } from "meilisearch";
import { withDeadline } from "../store/deadline.ts";
import { LONGEST_REQUEST_MS, type Meilisearch } from "../store/meilisearch.ts";

/** A task that Meilisearch took, and could not do. */
export class SearchTaskError extends Error {
  override name = "SearchTaskError";
}

/**
 * Waits until Meilisearch has done a task.
 * @param longestRequestMs for an answer as to how it stands; shorter in tests
 * @throws SearchTaskError when it failed or was cancelled, or the reason of `signal`
 */
export async function finishTask(
  meili: Meilisearch,
  enqueued: EnqueuedTask | PromiseLike<EnqueuedTask>,
  signal: AbortSignal,
  longestRequestMs = LONGEST_REQUEST_MS,
): Promise<void> {
  try {
    const { taskUid } = await enqueued;
    const began = performance.now();
    while (true) {
      signal.throwIfAborted();
      const { status, type, error } = await withDeadline(
        meili.tasks.getTask(taskUid, { signal }),
        longestRequestMs,
      );
      if (status === "succeeded") return;
      if (status === "failed" || status === "canceled") {
        throw new SearchTaskError(
          `Meilisearch did not finish ${type} (task ${taskUid}, ${status}): ${error?.message ?? "no reason given"}`,
          { cause: error },
        );
      }
      // A tenth late at most.
      const pauseMs = (performance.now() - began) / 10;
      await sleep(Math.min(Math.max(pauseMs, 5), 250), undefined, { signal });
    }
  } catch (error) {
    // What the signal cuts short, a request or a pause, says so in words of its own.
    signal.throwIfAborted();
    throw error;
  }
}

/** Has an index removed; there need not be one. Does not wait for it. */
export async function dropIndex(meili: Meilisearch, index: string): Promise<void> {
  try {
    await meili.index(index).getRawInfo();
    await meili.deleteIndex(index);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
  }
}

/** Whether an error of Meilisearch says that there is no such index. */
export function isIndexMissing(error: unknown): boolean {
  return error instanceof MeilisearchApiError && error.cause?.code === "index_not_found";
}
