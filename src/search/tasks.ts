import { setTimeout as sleep } from "node:timers/promises";
import { type EnqueuedTask, MeilisearchApiError } from "meilisearch";
import { withDeadline } from "../store/deadline.ts";
import { LONGEST_REQUEST_MS, type Meilisearch } from "../store/meilisearch.ts";

/** Meilisearch accepted a task but could not finish it. */
export class SearchTaskError extends Error {}

/**
 * Waits until Meilisearch has done a task.
 * @param longestRequestMs how long a request for its status may take; shorter in tests
 * @throws SearchTaskError when it failed or was cancelled, or the reason of `signal`
 */
export async function waitForTask(
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
      // Notices the end of the task at most a tenth of its duration late.
      const pauseMs = (performance.now() - began) / 10;
      await sleep(Math.min(Math.max(pauseMs, 5), 250), undefined, { signal });
    }
  } catch (error) {
    // A request or pause that the signal aborts throws an error of its own.
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Lets work go on while more is started.
 * @param most how many at a time
 */
export function createPipeline(most: number) {
  const underWay: Promise<void>[] = [];
  return {
    /** Waits for the oldest while `most` are under way. @throws what that failed with */
    async add(work: Promise<void>): Promise<void> {
      // A failure is thrown where the work is awaited. Until then nobody would handle it, which would end the
      // process.
      work.catch(() => {});
      underWay.push(work);
      if (underWay.length >= most) await underWay.shift();
    },
    /** Waits for the rest. @throws what one of them failed with */
    async end(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

/** Whether an error of Meilisearch says that there is no such index. */
export function isIndexMissing(error: unknown): boolean {
  return error instanceof MeilisearchApiError && error.cause?.code === "index_not_found";
}
