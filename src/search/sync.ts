import { MeilisearchError } from "meilisearch";
import { countApproved } from "../directory/listing.ts";
import { isKeyRefused, type Meilisearch, NOT_MEILISEARCH } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { applyChanges, removeGone } from "./changes.ts";
import { withSyncLock } from "./lock.ts";
import { nextOf, type Rebuild, rebuildIndex, removeUnfinished } from "./rebuild.ts";
import { type SearchStore, versionOf } from "./settings.ts";
import { forgetTasks, isIndexMissing } from "./tasks.ts";

interface SyncOptions {
  /** Builds a new index even if the present one fits. */
  rebuild?: boolean;
  /**
   * Deletes from Meilisearch what is only marked as gone there, what a rebuild that was cut short has left, and old
   * tasks.
   */
  tidy?: boolean;
  /** Leaves an index of another version of this program to the servers of that version. */
  leavesOthers?: boolean;
  /** Ends the work early, at a point where a later run can resume. */
  signal?: AbortSignal;
  /** Called before a new index is built, with the number of businesses. */
  onBuild?: (businesses: number) => void;
  onProgress?: (progress: SyncProgress) => void;
}

export interface SyncProgress {
  /** `build`: documents of a new index; `changes`: changes of the present one. */
  phase: "build" | "changes";
  done: number;
  total: number;
}

export type SyncResult =
  | { state: "current"; rebuilt: boolean; documents: number; changes: number }
  /** Another process is doing it; nothing was done. */
  | { state: "busy" }
  /** The index is of another version; nothing was done. `lacks` is the first change that it lacks. */
  | { state: "left"; lacks: string | null };

/**
 * Brings the index up to date with the approved businesses: from the recorded changes, or by a rebuild when no
 * index fits. Only one process per database does so at a time.
 * @throws SearchTaskError, or an error of Meilisearch or PostgreSQL; nothing recorded is lost
 */
export async function syncSearch(
  { sql, meili, index }: SearchStore,
  {
    rebuild = false,
    tidy = false,
    leavesOthers = false,
    signal = new AbortController().signal,
    onBuild,
    onProgress,
  }: SyncOptions = {},
): Promise<SyncResult> {
  const result = await withSyncLock(sql, signal, async (signal) => {
    const found = await inspectIndex(sql, meili, index);
    if (found === "of another version" && leavesOthers) {
      return { state: "left" as const, lacks: await firstChange(sql) };
    }
    const present = found === "of another version" ? "does not fit" : found;
    const isRebuilt = rebuild || present !== "fits";
    let documents = 0;
    if (isRebuilt) {
      const total = await countApproved(sql);
      onBuild?.(total);
      const onDocuments = (done: number) => onProgress?.({ phase: "build", done, total });
      documents = await rebuildIndex({ sql, meili, index, present, signal, onDocuments });
    }
    const total = onProgress ? await countChanges(sql) : 0;
    const changes = await applyChanges(sql, meili, [index], signal, (done) =>
      onProgress?.({ phase: "changes", done, total }),
    );
    if (tidy) await removeGone(meili, index, signal);
    if (tidy && !isRebuilt) await removeUnfinished(meili, index, signal);
    if (tidy) await forgetTasks(meili, [index, nextOf(index)], signal);
    return { state: "current" as const, rebuilt: isRebuilt, documents, changes };
  });
  return result ?? { state: "busy" };
}

async function inspectIndex(
  sql: Sql,
  meili: Meilisearch,
  index: string,
): Promise<Rebuild["present"] | "of another version"> {
  try {
    const [shown, stats] = await Promise.all([
      meili.index(index).getDisplayedAttributes(),
      meili.index(index).getStats(),
    ]);
    // The client takes any JSON for an answer, and none at all.
    if (!Array.isArray(shown)) throw new MeilisearchError(NOT_MEILISEARCH);
    const version = versionOf(shown);
    if (version === "another") return "of another version";
    if (version === "none") return "does not fit";
    return stats.numberOfDocuments === 0 && (await lacksRecords(sql)) ? "does not fit" : "fits";
  } catch (error) {
    if (isIndexMissing(error)) return "missing";
    if (error instanceof SyntaxError) {
      throw new MeilisearchError(NOT_MEILISEARCH, { cause: error });
    }
    if (isKeyRefused(error)) {
      throw new MeilisearchError(`Meilisearch refuses MEILI_KEY: ${error.message}`);
    }
    throw error;
  }
}

/** Whether there are approved businesses that no recorded change will bring into the index. */
async function lacksRecords(sql: Sql): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    // Right after a first import, PostgreSQL has no statistics of the changes. It expects to find a business
    // without one soon, and would compare each with all changes, which takes hours for a million.
    await transaction`set local enable_nestloop = off`;
    const [row] = await transaction<[{ lacks: boolean }]>`
      select exists (
        select from listings
        where category_id = 0
          and not exists (select from search_changes as c where c.business_id = listings.business_id)
      ) as lacks`;
    return row.lacks;
  });
}

async function firstChange(sql: Sql): Promise<string | null> {
  const [row] = await sql<[{ id: string }?]>`select id from search_changes order by id limit 1`;
  return row?.id ?? null;
}

async function countChanges(sql: Sql): Promise<number> {
  const [row] = await sql<
    [{ count: number }]
  >`select count(*)::integer as count from search_changes`;
  return row.count;
}
