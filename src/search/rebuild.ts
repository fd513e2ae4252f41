import type { EnqueuedTask } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import { applyChanges } from "./changes.ts";
import { readAllDocuments } from "./documents.ts";
import { filterableAttributes, indexSettings, type SearchStore } from "./settings.ts";
import { createPipeline, isIndexMissing, waitForTask } from "./tasks.ts";

export interface Rebuild extends SearchStore {
  /** The state of the index that answers meanwhile. One that fits is kept current. */
  present: "fits" | "does not fit" | "missing";
  signal: AbortSignal;
  /** Called with the number of documents sent so far. */
  onDocuments: (documents: number) => void;
  /** Documents per request. */
  documentsAtOnce?: number;
  /** Milliseconds between the times that changes committed meanwhile are applied. */
  changesAfterMs?: number;
}

// About 15 MB a request. Meilisearch processes queued requests together, which is faster.
export const DOCUMENTS_AT_ONCE = 20_000;
export const REQUESTS_AHEAD = 16;
const CHANGES_AFTER_MS = 1_000;
/** As many recorded changes as this are as much work as a new index. */
const MANY_CHANGES = 20_000;

/**
 * Builds a new index beside the present one and swaps it in, so that searches are answered throughout. Changes
 * that are committed meanwhile go into both. Only one process may do so at a time. If it fails, the present
 * index stays.
 * @returns the number of documents
 */
export async function rebuildIndex(rebuild: Rebuild): Promise<number> {
  const { sql, meili, index, signal, onDocuments } = rebuild;
  const { documentsAtOnce = DOCUMENTS_AT_ONCE, changesAfterMs = CHANGES_AFTER_MS } = rebuild;
  const present = await leaveBehind();
  const next = nextOf(index);
  const pipeline = createPipeline(REQUESTS_AHEAD);
  const queue = (task: EnqueuedTask) => pipeline.add(waitForTask(meili, task, signal));

  // Not awaited one by one: Meilisearch works on its tasks in order.
  if (present === "does not fit") {
    // It answers meanwhile, so it needs the attributes that this version filters by.
    await queue(await meili.index(index).updateFilterableAttributes(filterableAttributes));
  }
  // Left over from a rebuild that was cut short. If there is none, this task fails, and nobody waits for it.
  await meili.deleteIndex(next);
  await queue(await meili.createIndex(next, { primaryKey: "id" }));
  await queue(await meili.index(next).updateSettings(indexSettings));

  // The new index needs no change recorded so far, since all documents are yet to be read, and a present index
  // that does not fit gets none.
  if (present !== "fits") await sql`delete from search_changes`;
  const targets = present === "fits" ? [index, next] : [next];

  let sent = 0;
  let changesApplied = performance.now();
  // Not read ahead: what was read before a change must not be sent after it, or it would overwrite the change.
  for await (const documents of readAllDocuments(sql, documentsAtOnce)) {
    // Otherwise it would be noticed only where the first request is awaited. If the lock was lost, its new holder
    // is building an index of this name, too.
    signal.throwIfAborted();
    await queue(await meili.index(next).addDocuments(documents));
    if (performance.now() - changesApplied >= changesAfterMs) {
      await applyChanges(sql, meili, targets, signal);
      changesApplied = performance.now();
    }
    sent += documents.length;
    onDocuments(sent);
  }
  await pipeline.end();
  // Later commits are left to the next run: by then the new index is in place.
  await applyChanges(sql, meili, targets, signal);

  await waitForTask(
    meili,
    meili.swapIndexes([{ indexes: [next, index], rename: present === "missing" }]),
    signal,
  );
  if (present !== "missing") await meili.deleteIndex(next);
  return sent;

  /**
   * Updating an index that is very many changes behind would hold up the new one. So it is left as it is, and
   * answers until the new one is ready. Since the changes that it lacks are about to be deleted, it is marked as
   * not fitting: if the rebuild is cut short, the next run starts another.
   */
  async function leaveBehind(): Promise<Rebuild["present"]> {
    if (rebuild.present !== "fits") return rebuild.present;
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::integer as count
      from (select from search_changes limit ${MANY_CHANGES}) as first_ones`;
    if (count < MANY_CHANGES) return "fits";
    await waitForTask(meili, meili.index(index).updateDisplayedAttributes(["id"]), signal);
    return "does not fit";
  }
}

/**
 * Deletes what a rebuild that was cut short has left behind, which may be as large as the index. Only while no other
 * process may rebuild.
 */
export async function removeUnfinished(
  meili: Meilisearch,
  index: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await meili.getRawIndex(nextOf(index));
  } catch (error) {
    if (isIndexMissing(error)) return;
    throw error;
  }
  // If the lock was lost, its new holder may be building this very index.
  signal.throwIfAborted();
  // Nobody waits for it: it fails where a rebuild that has just ended is deleting it, too.
  await meili.deleteIndex(nextOf(index));
}

/** The index that is being built. */
export const nextOf = (index: string) => `${index}_next`;
