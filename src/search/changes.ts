import type { EnqueuedTask } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { readDocuments } from "./documents.ts";
import { IS_GONE } from "./settings.ts";
import { createPipeline, waitForTask } from "./tasks.ts";

/**
 * Applies the recorded changes to the indexes, and deletes the records once all the indexes have them. They are
 * taken from both ends: when the move of a large category has recorded hundreds of thousands, whatever changes
 * afterwards need not wait for all of them. Only one process may do so at a time.
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
  const underWay = new Set<string>();
  const recorded = sql`select id, business_id as "businessId" from search_changes`;
  let applied = 0;
  /** The last id taken from each end so far. */
  let oldest = "0";
  let newest = "0";
  while (true) {
    // Copied before the look-up: its answer may still have records that `finish` deletes while it is under way.
    const taken = new Set(underWay);
    // Ids are assigned before the commit, so one lower than the last may turn up later. This run misses it, and
    // the next one, which starts from the lowest again, finds it.
    const found = await sql<Change[]>`
      (${recorded} where id > ${oldest} order by id limit ${OLDEST_AT_ONCE})
      union
      (${recorded} where id > ${newest} order by id desc limit ${NEWEST_AT_ONCE})
      order by id`;
    const changes = found.filter(({ id }) => !taken.has(id));
    if (changes.length > 0) {
      const tasks = await send(changes);
      await pipeline.add(finish(tasks, changes));
    }
    // Changes that arrive meanwhile are left to the next run, or this one would never end.
    if (found.length < OLDEST_AT_ONCE) break;
    oldest = found[OLDEST_AT_ONCE - 1]?.id ?? oldest;
    newest = found.at(-1)?.id ?? newest;
  }
  await pipeline.end();
  return applied;

  /**
   * Sends the businesses to Meilisearch as they are now. Those that are gone are only marked: that costs next to
   * nothing, while deleting one costs nearly as much as deleting hundreds.
   */
  async function send(changes: readonly Change[]): Promise<EnqueuedTask[]> {
    for (const { id } of changes) underWay.add(id);
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
    const ids = changes.map((change) => change.id);
    await sql`delete from search_changes where id = any(${ids}::bigint[])`;
    for (const id of ids) underWay.delete(id);
    applied += changes.length;
    onApplied(applied);
  }
}

const OLDEST_AT_ONCE = 10_000;
const NEWEST_AT_ONCE = 1_000;
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
