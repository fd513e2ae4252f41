import { afterAll, afterEach, beforeEach } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import type { SearchDocument } from "../../src/search/documents.ts";
import { createSearch } from "../../src/search/query.ts";
import { IS_GONE } from "../../src/search/settings.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { SEARCH_SYNC_LOCK } from "../../src/store/locks.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { createDatabase, uniqueIndex } from "../support.ts";

/**
 * Makes a directory that is empty when each test of the file begins, and an index of its own for each, which does
 * not exist yet. One database serves them all, since each new connection to another takes longer than most of them.
 */
export async function openEmptyDirectory() {
  const { url, sql, drop } = await createDatabase();
  await sql`create table taxonomy as select id, name from categories`;
  const { meili } = uniqueIndex();
  let name: string;

  beforeEach(() => {
    name = uniqueIndex().index;
  });

  afterEach(async () => {
    await meili.deleteIndexIfExists(name);
    await meili.deleteIndexIfExists(`${name}_next`);
    // Nothing of the test may still be running.
    await until(() => isLockFree(sql), 20_000);
    await sql`delete from businesses`;
    await sql`delete from cities`;
    await sql`delete from categories where id not in (select id from taxonomy)`;
    await sql`
      update categories set name = taxonomy.name from taxonomy
      where taxonomy.id = categories.id and taxonomy.name <> categories.name`;
    await sql`delete from search_changes`;
    await sql`delete from search_renames`;
  });

  afterAll(drop);

  /** What the parts of the sync are handed; `index` is the name of the test's index. */
  const where = () => ({ sql, meili, index: name });

  const search = (text: string) => createSearch(where())({ text, limit: 1 });

  return {
    url,
    sql,
    meili,
    where,
    search,

    total: async (text: string) => (await search(text)).total,

    sync: (options?: Parameters<typeof syncSearch>[1]) => syncSearch(where(), options),

    /** The test's index in Meilisearch. */
    index: () => meili.index(name),

    /** The one that a rebuild replaces it with. */
    nextIndex: () => meili.index(`${name}_next`),

    async exists({ uid }: { uid: string }): Promise<boolean> {
      const { results } = await meili.getRawIndexes({ limit: 1_000 });
      return results.some((index) => index.uid === uid);
    },

    /** What is in the index and not marked as gone, or all there is. */
    async indexed({ marked = false } = {}): Promise<{ id: string; name: string }[]> {
      const { results } = await meili
        .index<Pick<SearchDocument, "id" | "name">>(name)
        .getDocuments({
          limit: 10_000,
          fields: ["id", "name"],
          ...(marked ? {} : { filter: `NOT ${IS_GONE}` }),
        });
      return results
        .map(({ id, name }) => ({ id, name: name.whole }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async setStatus(slug: string, status: string): Promise<void> {
      await sql`update businesses set status = ${status} where slug = ${slug}`;
    },

    async pendingChanges(): Promise<number> {
      const [row] = await sql<
        [{ count: number }]
      >`select count(*)::integer as count from search_changes`;
      return row.count;
    },

    /** Adds many businesses in one statement, called `zephyr 1` and so on. */
    async addMany(count: number): Promise<void> {
      const { id } = await addBusiness(sql, { name: "zephyr 0" });
      await copyBusiness(sql, id, "zephyr", count - 1);
    },

    /** Records changes of businesses that are gone, which cost Meilisearch far less than others. */
    async recordDeletions(count: number): Promise<void> {
      await sql`
        insert into search_changes (business_id)
        select gen_random_uuid() from generate_series(1, ${count}::integer)`;
    },
  };
}

export async function isLockFree(sql: Sql): Promise<boolean> {
  const holders = await sql`select ${lockHolders(sql)}`;
  return holders.length === 0;
}

/** Ends the connection that holds the lock. */
export async function cutLockHolder(sql: Sql): Promise<void> {
  await sql`select pg_terminate_backend(pid) ${lockHolders(sql)}`;
}

const lockHolders = (sql: Sql) => sql`
  from pg_locks where locktype = 'advisory' and objid = ${SEARCH_SYNC_LOCK}
    and database = (select oid from pg_database where datname = current_database())`;
