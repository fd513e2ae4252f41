import type { EnqueuedTask } from "meilisearch";
import type { Meilisearch } from "../store/meilisearch.ts";
import type { Sql } from "../store/postgres.ts";
import { applyChanges } from "./changes.ts";
import { readDocumentsAfter } from "./documents.ts";
import { indexSettings } from "./settings.ts";
import { dropIndex, finishTask } from "./tasks.ts";

export interface Rebuild {
  sql: Sql;
  meili: Meilisearch;
  index: string;
  /** What answers until then. One that fits is kept current meanwhile. */
  present: "fits" | "does not fit" | "missing";
  signal: AbortSignal;
  /** Called with the number of documents sent so far. */
  onDocuments: (documents: number) => void;
  /** Documents in a request. */
  documentsAtOnce?: number;
}

// About 8 MB a request. Meilisearch takes what waits for it in one go, which is faster.
const DOCUMENTS_AT_ONCE = 20_000;
const REQUESTS_AHEAD = 4;

/**
 * Builds a new index beside the present one and puts it in its place in one step: searches are
 * answered all the time. Changes that are committed meanwhile go into both. Only one process may do
 * so at a time. When it fails the present index stays.
 * @returns the number of documents
 */
export async function rebuildIndex(rebuild: Rebuild): Promise<number> {
  const { sql, meili, index, present, signal, onDocuments } = rebuild;
  const { documentsAtOnce = DOCUMENTS_AT_ONCE } = rebuild;
  const next = `${index}_next`;
  const underWay: Promise<void>[] = [];
  const follow = (task: EnqueuedTask) => {
    const finished = finishTask(meili, task, signal);
    // A failure is met where it is awaited, which may be a while later.
    finished.catch(() => {});
    underWay.push(finished);
  };

  // Not waited for one by one: Meilisearch works in the order in which it is told.
  await dropIndex(meili, next);
  follow(await meili.createIndex(next, { primaryKey: "id" }));
  follow(await meili.index(next).updateSettings(indexSettings));

  // What was recorded so far is of no use to the new index: all documents are yet to be read.
  if (present !== "fits") await sql`delete from search_changes`;
  const targets = present === "fits" ? [index, next] : [next];

  let sent = 0;
  let last: string | null = null;
  while (true) {
    const documents = await readDocumentsAfter(sql, last, documentsAtOnce);
    if (documents.length === 0) break;
    // Sent before newer changes are read, so that those have the last word.
    follow(await meili.index(next).addDocuments(documents));
    if (underWay.length >= REQUESTS_AHEAD) await underWay.shift();
    await applyChanges(sql, meili, targets, signal);
    sent += documents.length;
    last = documents.at(-1)?.id ?? null;
    onDocuments(sent);
  }
  await Promise.all(underWay);
  // What is committed from now on goes into the new index as into any other.
  while ((await applyChanges(sql, meili, targets, signal)).hasMore);

  await finishTask(
    meili,
    meili.swapIndexes([{ indexes: [next, index], rename: present === "missing" }]),
    signal,
  );
  await dropIndex(meili, next);
  return sent;
}
