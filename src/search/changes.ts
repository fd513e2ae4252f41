import type { EnqueuedTask } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { readDocuments } from "./documents.ts";
import { IS_GONE } from "./settings.ts";
import { createPipeline, waitForTask } from "./tasks.ts";

/**
 * Applies the recorded changes to the indexes, and deletes the records once all the indexes have them. Only one
 * process may do so at a time.
 * @param onApplied called after each batch with the number of records applied so far
 * @returns the number of records
 * @throws SearchTaskError when Meilisearch refuses; the records stay
 */
export async function applyChanges(
  sql: Sql,
  meili: Meilisearch,
  indexes: readonly string[],
  signal: AbortSignal,
  onApplied: (applied: number) => void = () => {},
): Promise<number> {
  await sql`select spread_renames() where exists (select from search_renames)`;
  const pipeline = createPipeline(BATCHES_AHEAD);
  let applied = 0;
  let last = "0";
  while (true) {
    // Ids are assigned before the commit, so one lower than the last may turn up later. This run misses it, and
    // the next one, which starts from the lowest again, finds it.
    const changes = await sql<Change[]>`
      select id, business_id as "businessId" from search_changes
      where id > ${last} order by id limit ${CHANGES_AT_ONCE}`;
    if (changes.length > 0) {
      const tasks = await send(changes);
      await pipeline.add(finish(tasks, changes));
    }
    // Changes that arrive meanwhile are left to the next run, or this one would never end.
    if (changes.length < CHANGES_AT_ONCE) break;
    last = changes.at(-1)?.id ?? last;
  }
  await pipeline.end();
  return applied;

  /**
   * Sends the businesses to Meilisearch as they are now. Those that are gone are only marked: that costs next to
   * nothing, while deleting one costs nearly as much as deleting hundreds.
   */
  async function send(changes: readonly Change[]): Promise<EnqueuedTask[]> {
    // Read after the records, so that a document has at least the change of its record. With an older document,
    // the record would be deleted all the same, and the index would never get that change.
    const ids = [...new Set(changes.map((change) => change.businessId))];
    const documents = await readDocuments(sql, ids);
    const approved = new Set(documents.map((document) => document.id));
    const gone = ids.filter((id) => !approved.has(id));
    const updates = [
      ...documents.map((document) => ({ ...document, isGone: false })),
      ...gone.map((id) => ({ id, isGone: true })),
    ];
    // If the lock was lost, its new holder may have sent newer documents, and these would overwrite them.
    signal.throwIfAborted();
    return Promise.all(indexes.map((index) => meili.index(index).updateDocuments(updates)));
  }

  async function finish(tasks: EnqueuedTask[], changes: readonly Change[]): Promise<void> {
    for (const task of tasks) await waitForTask(meili, task, signal);
    await sql`
      delete from search_changes where id = any(${changes.map((change) => change.id)}::bigint[])`;
    applied += changes.length;
    onApplied(applied);
  }
}

const CHANGES_AT_ONCE = 10_000;
/** Batches queued in Meilisearch at a time: it processes them together, which is faster. */
const BATCHES_AHEAD = 4;

interface Change {
  id: string;
  businessId: string;
}

/** Deletes what is marked as gone. */
export async function removeGone(
  meili: Meilisearch,
  index: string,
  signal: AbortSignal,
): Promise<void> {
  const documents = meili.index(index);
  const { total } = await documents.getDocuments({ filter: IS_GONE, limit: 0 });
  if (total === 0) return;
  // By the mark, not by id: a business may come back before Meilisearch gets to it.
  await waitForTask(meili, documents.deleteDocuments({ filter: IS_GONE }), signal);
}
