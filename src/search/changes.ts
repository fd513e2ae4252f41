import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { readDocuments } from "./documents.ts";
import { finishTask } from "./tasks.ts";

const CHANGES_AT_ONCE = 10_000;

/**
 * Brings a batch of recorded changes into the indexes, and forgets the records once all the indexes
 * have them. Only one process may do so at a time.
 * @returns how many records there were, and whether there may be more that were there already
 * @throws SearchTaskError when Meilisearch refuses; the records stay
 */
export async function applyChanges(
  sql: Sql,
  meili: Meilisearch,
  indexes: readonly string[],
  signal: AbortSignal,
): Promise<{ applied: number; hasMore: boolean }> {
  const changes = await sql<{ id: string; businessId: string }[]>`
    select id, business_id as "businessId" from search_changes order by id limit ${CHANGES_AT_ONCE}`;
  if (changes.length === 0) return { applied: 0, hasMore: false };

  // Read after the records, so that a document is never older than the record that goes with it.
  const ids = [...new Set(changes.map((change) => change.businessId))];
  const documents = await readDocuments(sql, ids);
  const approved = new Set(documents.map((document) => document.id));
  const gone = ids.filter((id) => !approved.has(id));

  const tasks = indexes
    .map((index) => meili.index(index))
    .flatMap((index) => [
      ...(documents.length > 0 ? [index.addDocuments(documents)] : []),
      ...(gone.length > 0 ? [index.deleteDocuments(gone)] : []),
    ]);
  await Promise.all(tasks.map((task) => finishTask(meili, task, signal)));

  // By their ids, not "up to": a lower id may be committed later.
  await sql`delete from search_changes where id = any(${changes.map((change) => change.id)}::bigint[])`;
  return { applied: changes.length, hasMore: changes.length === CHANGES_AT_ONCE };
}
