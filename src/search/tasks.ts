import { setTimeout as sleep } from "node:timers/promises";
import { type EnqueuedTask, MeilisearchApiError, type TaskStatus } from "meilisearch";
import { withDeadline } from "../store/deadline.ts";
import { isKeyRefused, LONGEST_REQUEST_MS, type Meilisearch } from "../store/meilisearch.ts";

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

/**
 * Has Meilisearch forget tasks of these indexes that ended a day ago. It would keep a million, of 5 KB each, and most
 * changes are a task of their own.
 * @param keptMs how long they are kept, for whoever looks into a failure; shorter in tests
 * @param fewest how many it takes, since this is a task, too, which nothing forgets; fewer in tests
 */
export async function forgetTasks(
  meili: Meilisearch,
  indexes: string[],
  signal: AbortSignal,
  { keptMs = DAY_MS, fewest = 1_000 } = {},
): Promise<void> {
  const old = {
    indexUids: indexes,
    statuses: ENDED,
    beforeFinishedAt: new Date(Date.now() - keptMs).toISOString(),
  };
  const { total } = await meili.tasks.getTasks({ ...old, limit: 1 });
  if (total < fewest) return;
  try {
    await waitForTask(meili, meili.tasks.deleteTasks(old), signal);
  } catch (error) {
    // A key that was made for an earlier version lacks this right, and the rest works without it.
    if (!isKeyRefused(error)) throw error;
  }
}

const ENDED: TaskStatus[] = ["succeeded", "failed", "canceled"];
const DAY_MS = 86_400_000;

/** Whether an error of Meilisearch says that there is no such index. */
export function isIndexMissing(error: unknown): boolean {
  return error instanceof MeilisearchApiError && error.cause?.code === "index_not_found";
}
