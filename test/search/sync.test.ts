import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { applyChanges } from "../../src/search/changes.ts";
import { startSearchSync } from "../../src/search/continuous-sync.ts";
import { readAllDocuments, type SearchDocument } from "../../src/search/documents.ts";
import { withSyncLock } from "../../src/search/lock.ts";
import { createSearch } from "../../src/search/query.ts";
import { DOCUMENTS_AT_ONCE, rebuildIndex, removeUnfinished } from "../../src/search/rebuild.ts";
import { IS_GONE, indexSettings } from "../../src/search/settings.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { SearchTaskError } from "../../src/search/tasks.ts";
import { SEARCH_SYNC_LOCK } from "../../src/store/locks.ts";
import { type Meilisearch, openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { createDatabase, logInto, silent, uniqueIndex } from "../support.ts";
import { proxyMeilisearch } from "./proxy.ts";

// One for all tests, since each new connection to another takes longer than most of them. Each leaves it empty.
const database = await createDatabase();
await database.sql`create table taxonomy as select id, name from categories`;
afterAll(() => database.drop());

let meili: Meilisearch;
let index: string;

beforeEach(() => {
  ({ meili, index } = uniqueIndex());
});

afterEach(async () => {
  await meili.deleteIndexIfExists(index);
  await meili.deleteIndexIfExists(`${index}_next`);
  // Nothing of the test may still be running.
  await until(isLockFree, 20_000);
  const { sql } = database;
  await sql`delete from businesses`;
  await sql`delete from cities`;
  await sql`delete from categories where id not in (select id from taxonomy)`;
  await sql`
    update categories set name = taxonomy.name from taxonomy
    where taxonomy.id = categories.id and taxonomy.name <> categories.name`;
  await sql`delete from search_changes`;
  await sql`delete from search_renames`;
});

const where = () => ({ sql: database.sql, meili, index });
const sync = (options?: Parameters<typeof syncSearch>[1]) => syncSearch(where(), options);
const search = (text: string) => createSearch(where())({ text, limit: 1 });
const total = async (text: string) => (await search(text)).total;

async function setStatus(slug: string, status: string): Promise<void> {
  await database.sql`update businesses set status = ${status} where slug = ${slug}`;
}

async function pendingChanges(): Promise<number> {
  const [row] = await database.sql<
    [{ count: number }]
  >`select count(*)::integer as count from search_changes`;
  return row.count;
}

async function isLockFree(): Promise<boolean> {
  const held = await database.sql`
    select from pg_locks where locktype = 'advisory' and objid = ${SEARCH_SYNC_LOCK}
      and database = (select oid from pg_database where datname = current_database())`;
  return held.length === 0;
}

/** How many sessions this database has had. */
async function countSessions(): Promise<number> {
  const [row] = await database.sql<[{ sessions: number }]>`
    select sessions::integer from pg_stat_database where datname = current_database()`;
  return row.sessions;
}

/** What is in the index and not marked as gone, or all there is. */
async function indexed({ marked = false } = {}): Promise<{ id: string; name: string }[]> {
  const { results } = await meili.index<Pick<SearchDocument, "id" | "name">>(index).getDocuments({
    limit: 10_000,
    fields: ["id", "name"],
    ...(marked ? {} : { filter: `NOT ${IS_GONE}` }),
  });
  return results
    .map(({ id, name }) => ({ id, name: name.whole }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Many businesses in one statement, called `zephyr 1` and so on. */
async function addMany(count: number): Promise<void> {
  const { id } = await addBusiness(database.sql, { name: "zephyr 0" });
  await copyBusiness(database.sql, id, "zephyr", count - 1);
}

/** Records changes of businesses that are gone, which cost Meilisearch far less than others. */
async function recordDeletions(count: number): Promise<void> {
  await database.sql`
    insert into search_changes (business_id) select gen_random_uuid() from generate_series(1, ${count}::integer)`;
}

describe("bringing the index up to date", () => {
  test("the first run builds the index, the next applies only what has changed", async () => {
    await addBusiness(database.sql, { name: "Anvil Works" });
    await addBusiness(database.sql, { name: "Bellows Yard", status: "pending" });
    expect(await sync()).toEqual({ state: "current", rebuilt: true, documents: 1, changes: 0 });
    const { slug } = await addBusiness(database.sql, { name: "Crucible Hall" });
    await setStatus(slug, "suspended");
    await setStatus(slug, "approved");
    expect(await sync()).toMatchObject({ rebuilt: false, documents: 0 });
    expect(await total("crucible")).toBe(1);
    expect(await total("bellows")).toBe(0);
    expect(await pendingChanges()).toBe(0);
    expect(await sync()).toEqual({ state: "current", rebuilt: false, documents: 0, changes: 0 });
  });

  test("a total is exact, however many there are", async () => {
    await addMany(1_001);
    await sync();
    expect(await total("zephyr")).toBe(1_001);
  });

  test("an empty directory gives an index that answers", async () => {
    expect(await sync()).toEqual({ state: "current", rebuilt: true, documents: 0, changes: 0 });
    expect(await total("anything")).toBe(0);
    expect(await sync()).toMatchObject({ rebuilt: false });
  });

  test("a large first import is read in one pass, although PostgreSQL has no statistics about it yet", async () => {
    await using fresh = await createDatabase();
    await syncSearch({ ...where(), sql: fresh.sql });
    await fresh.sql`
      with made as (
        insert into listings (category_id, city_id, list_rank, business_id)
        select 0, 1, place, gen_random_uuid() from generate_series(1, 40000) as place
        returning business_id
      )
      insert into search_changes (business_id) select business_id from made`;
    // As an import does.
    await fresh.sql`analyze listings`;
    // Compared one by one, they would take many times as long.
    const { pathname } = new URL(fresh.url);
    await fresh.sql.unsafe(`alter database "${pathname.slice(1)}" set statement_timeout = '5s'`);
    const sql = openPostgres(fresh.url, { keepsPlans: true });
    const began = new AbortController();
    const onProgress = () => began.abort(new Error("changes are brought in"));
    await expect(
      syncSearch({ ...where(), sql }, { signal: began.signal, onProgress }),
    ).rejects.toThrow("changes are brought in");
    await sql.end();
  });

  test("a suspended or deleted business is not found, and leaves the index when that is tidied", async () => {
    const kept = await addBusiness(database.sql, { name: "Kept Kites" });
    const back = await addBusiness(database.sql, { name: "Back Kites" });
    const suspended = await addBusiness(database.sql, { name: "Suspended Kites" });
    const deleted = await addBusiness(database.sql, { name: "Deleted Kites" });
    await sync();
    await setStatus(back.slug, "suspended");
    await setStatus(suspended.slug, "suspended");
    await database.sql`delete from businesses where id = ${deleted.id}`;
    await sync();
    expect(await total("kites")).toBe(1);
    await setStatus(back.slug, "approved");
    await sync({ tidy: true });
    expect(await total("kites")).toBe(2);
    expect(await indexed({ marked: true })).toEqual([
      { id: kept.id, name: "kept kites" },
      { id: back.id, name: "back kites" },
    ]);
    await setStatus(suspended.slug, "approved");
    await sync({ tidy: true });
    expect(await total("suspended kites")).toBe(1);
  });

  test("tidying has Meilisearch forget old tasks once there are a thousand", async () => {
    let old = 999;
    const deleted: string[] = [];
    await using many = proxyMeilisearch(({ method, pathname }, forward) => {
      if (pathname !== "/tasks") return forward();
      if (method === "GET") return Response.json({ results: [], total: old });
      deleted.push(pathname);
      return forward();
    });
    const run = (tidy: boolean) => syncSearch({ ...where(), meili: many.meili }, { tidy });
    await run(true);
    old = 1_000;
    await run(false);
    expect(deleted).toEqual([]);
    await run(true);
    expect(deleted).toEqual(["/tasks"]);
    const { total } = await meili.tasks.getTasks({ indexUids: [index] });
    expect(total).toBeGreaterThan(0);
  });

  test("a business that came and went between two runs is not found", async () => {
    await sync();
    const { id, slug } = await addBusiness(database.sql, { name: "Brief Kites" });
    await setStatus(slug, "suspended");
    await database.sql`delete from businesses where id = ${id}`;
    await sync();
    expect(await total("brief kites")).toBe(0);
    await sync({ tidy: true });
    expect(await indexed({ marked: true })).toEqual([]);
  });

  test("a renamed category or city is found by its new name", async () => {
    await addBusiness(database.sql, { category: "plumbers" });
    await sync();
    await database.sql`update categories set name = 'Zinkworkers' where slug = 'plumbers'`;
    await sync();
    expect(await total("zinkworker")).toBe(1);
    await database.sql`update cities set name = 'Xanadu' where slug = 'leeds'`;
    await sync();
    expect(await total("xanadu")).toBe(1);
  });

  // While the name of a city changes, PostgreSQL itself makes new businesses in it wait.
  for (const [what, slug] of [
    ["category", "plumbers"],
    ["branch", "building-trades"],
  ] as const) {
    test(`a business added while its ${what} is renamed is found by the new name, and only by that`, async () => {
      const { id } = await addBusiness(database.sql, { name: "Quux Works" });
      await sync();
      const rename = await database.sql.reserve();
      await rename`begin`;
      const [old] = await rename`
        update categories set name = 'Zinkworkers' where slug = ${slug} returning old.name`;
      await copyBusiness(database.sql, id, "xyloid");
      await sync();
      expect(await total(`xyloid ${old?.name}`)).toBe(1);
      await rename`commit`;
      rename.release();
      await sync();
      for (const name of ["quux", "xyloid"]) {
        const { instead } = await search(`${name} zinkworkers`);
        expect([name, instead]).toEqual([name, null]);
        expect((await search(`${name} ${old?.name}`)).instead).toBe(name);
      }
    });
  }

  test("an inactive category filters to nothing, and so does one below it", async () => {
    const { sql } = database;
    await sql`insert into categories (slug, name) values ('crafts', 'Crafts')`;
    await sql`
      insert into categories (slug, name, parent_id)
      select 'coopers', 'Coopers', id from categories where slug = 'crafts'`;
    await addBusiness(sql, { name: "Stave House", category: "coopers" });
    const found = () =>
      Promise.all(
        [undefined, "crafts", "coopers"].map(
          async (category) =>
            (await createSearch(where())({ text: "stave", limit: 1, category })).total,
        ),
      );
    const setActive = async (slug: string, isActive: boolean) => {
      await sql`update categories set is_active = ${isActive} where slug = ${slug}`;
      await sync();
    };
    await sync();
    expect(await found()).toEqual([1, 1, 1]);
    await setActive("coopers", false);
    expect(await found()).toEqual([1, 1, 0]);
    await setActive("coopers", true);
    await setActive("crafts", false);
    expect(await found()).toEqual([1, 0, 0]);
  });

  test("an index with other settings is rebuilt", async () => {
    await addBusiness(database.sql);
    await sync();
    await meili.index(index).updateDisplayedAttributes(["id"]).waitTask();
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 1 });
    expect(await sync()).toMatchObject({ rebuilt: false });
  });

  test("an index that lacks a present-day filter answers while another is built", async () => {
    await addMany(300);
    await sync();
    const old = meili.index(index);
    await old.updateDisplayedAttributes(["id"]).waitTask();
    await old.updateFilterableAttributes(["citySlug"]).waitTask();
    await expect(total("zephyr")).rejects.toMatchObject({
      cause: { message: expect.stringContaining("isGone") },
    });
    let isRebuilding = true;
    let answer = 0;
    const asking = (async () => {
      while (isRebuilding) answer = await total("zephyr").catch(() => 0);
    })();
    const answersMeanwhile: number[] = [];
    await rebuildIndex({
      ...rebuild(),
      present: "does not fit",
      onDocuments: () => answersMeanwhile.push(answer),
      documentsAtOnce: 10,
      changesAfterMs: 0,
    });
    isRebuilding = false;
    await asking;
    expect(answersMeanwhile).toContain(300);
  });

  test("an index that lost its documents is rebuilt", async () => {
    await addBusiness(database.sql);
    await sync();
    await meili.index(index).deleteAllDocuments().waitTask();
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 1 });
  });

  test("an index that lost its documents is rebuilt also when something has changed since", async () => {
    await addBusiness(database.sql, { name: "Anvil Works" });
    await sync();
    await meili.index(index).deleteAllDocuments().waitTask();
    await addBusiness(database.sql, { name: "Bellows Yard" });
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 2 });
    expect(await total("anvil")).toBe(1);
  });

  test("a task that fails is an error, and the changes stay recorded", async () => {
    await sync();
    const { displayedAttributes } = await meili.index(index).getSettings();
    await meili.deleteIndex(index).waitTask();
    // Documents have no such attribute, so Meilisearch takes the task and then fails it.
    await meili.createIndex(index, { primaryKey: "isbn" }).waitTask();
    await meili
      .index(index)
      .updateSettings({ displayedAttributes: displayedAttributes ?? [] })
      .waitTask();
    await addBusiness(database.sql);
    const before = await pendingChanges();
    expect(before).toBeGreaterThan(0);
    await expect(sync()).rejects.toThrow(SearchTaskError);
    expect(await pendingChanges()).toBe(before);
  });

  test("changes stay recorded while Meilisearch is away, and are applied afterwards", async () => {
    await sync();
    await addBusiness(database.sql, { name: "Patience" });
    const away = { ...where(), meili: openMeilisearch("http://127.0.0.1:9", "") };
    await expect(syncSearch(away)).rejects.toThrow("127.0.0.1:9");
    expect(await pendingChanges()).toBeGreaterThan(0);
    await sync();
    expect(await total("patience")).toBe(1);
  });

  test("many changes are applied in batches, with reports of progress", async () => {
    await sync();
    await addBusiness(database.sql, { name: "Zephyr First" });
    await recordDeletions(11_000);
    await addBusiness(database.sql, { name: "Zephyr Last" });
    const told: number[] = [];
    const result = await sync({ onProgress: ({ done, total }) => told.push(done / total) });
    expect(result).toMatchObject({ rebuilt: false, changes: 11_002 });
    expect(told.length).toBe(2);
    expect(told.at(-1)).toBe(1);
    expect(await pendingChanges()).toBe(0);
    expect(await total("zephyr")).toBe(2);
  }, 40_000);

  test("texts longer than an import accepts do not make a request too large", async () => {
    await sync();
    await addMany(12);
    await database.sql`update businesses set short_description = repeat('gneiss ', 1500000)`;
    expect(await sync()).toMatchObject({ rebuilt: false, changes: 24 });
    expect(await total("gneiss")).toBe(12);
  });

  test("long names of cities do not make a request too large", async () => {
    await addBusiness(database.sql);
    await database.sql`update cities set name = btrim(repeat('ab cd ef ', 22))`;
    const [documents] = await Array.fromAsync(readAllDocuments(database.sql, 1));
    expect(JSON.stringify(documents).length * DOCUMENTS_AT_ONCE).toBeLessThan(100_000_000);
  });

  test("a change need not wait for all that was recorded before it", async () => {
    await sync();
    await recordDeletions(12_000);
    await addBusiness(database.sql, { name: "Zephyr" });
    let sent = 0;
    await using proxy = proxyMeilisearch(({ method, pathname }, forward) => {
      const isSent = method !== "GET" && pathname.endsWith("/documents");
      return isSent && sent++ > 0 ? new Response("{}", { status: 503 }) : forward();
    });
    await expect(syncSearch({ ...where(), meili: proxy.meili })).rejects.toThrow();
    await until(async () => (await total("zephyr")) === 1, 20_000);
    expect(await pendingChanges()).toBeGreaterThan(1_000);
  });

  test("a change is applied once, even if it is done while the next ones are looked up", async () => {
    await sync();
    await recordDeletions(12_000);
    const { sql } = database;
    let lookUps = 0;
    const isApplied = Promise.withResolvers<void>();
    // The second look-up is answered once the first batch is applied, of which it still has the newest changes.
    const late = async (...query: Parameters<typeof sql>) => {
      const found = await sql(...query);
      await isApplied.promise;
      return found;
    };
    const slowSql = Object.assign((...query: Parameters<typeof sql>) => {
      const isSecond = query[0].join("").includes("union") && ++lookUps === 2;
      return isSecond ? late(...query) : sql(...query);
    }, sql) as typeof sql;
    const { signal } = new AbortController();
    const done = await applyChanges(slowSql, meili, [index], signal, () => isApplied.resolve());
    expect(done).toBe(12_000);
    expect(await pendingChanges()).toBe(0);
  });

  test("a run ends although changes never stop", async () => {
    const { id } = await addBusiness(database.sql);
    await sync();
    await copyBusiness(database.sql, id, "first");
    let sent = 0;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      const isSent = method !== "GET" && pathname.endsWith("/documents");
      if (isSent && sent++ < 5) await copyBusiness(database.sql, id, `later-${sent}`);
      return forward();
    });
    const result = await syncSearch({ ...where(), meili: proxy.meili });
    expect(result).toMatchObject({ rebuilt: false, changes: 1 });
    expect(await pendingChanges()).toBe(1);
  });

  test("one process syncs at a time", async () => {
    await addBusiness(database.sql);
    await database.sql.begin(async (other) => {
      await other`select pg_advisory_xact_lock(${SEARCH_SYNC_LOCK})`;
      expect(await sync()).toEqual({ state: "busy" });
    });
    expect(await sync()).toMatchObject({ state: "current" });
  });

  test("the lock is free as soon as a run has ended, whether or not it succeeded", async () => {
    const reason = new Error("enough");
    for (let time = 0; time < 5; time++) {
      await sync();
      expect(await isLockFree()).toBe(true);
      await addBusiness(database.sql);
      await expect(sync({ signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
      expect(await isLockFree()).toBe(true);
    }
  });

  test("a run can be ended early, and the next one continues", async () => {
    await addBusiness(database.sql);
    const reason = new Error("enough");
    await expect(sync({ signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
    expect(await sync()).toMatchObject({ state: "current", documents: 1 });
  });
});

test("nothing is sent to Meilisearch once the lock is lost", async () => {
  await sync();
  await addBusiness(database.sql);
  const next = `${index}_next`;
  await meili.createIndex(next, { primaryKey: "id" }).waitTask();
  const told = async () => (await meili.tasks.getTasks({ indexUids: [index, next] })).total;
  const before = await told();
  const lost = AbortSignal.abort(new Error("lost"));
  await expect(applyChanges(database.sql, meili, [index], lost)).rejects.toThrow("lost");
  await expect(removeUnfinished(meili, index, lost)).rejects.toThrow("lost");
  expect(await told()).toBe(before);
  expect(await pendingChanges()).toBe(1);
});

/** Ends the connection that holds the lock. */
const cut = () =>
  database.sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objid = ${SEARCH_SYNC_LOCK}
      and database = (select oid from pg_database where datname = current_database())`;

test("work that fails after losing its lock fails with that reason, whatever its own error", async () => {
  const work = async (signal: AbortSignal) => {
    await cut();
    await until(() => signal.aborted, 5_000);
    throw new Error("it goes on with nothing");
  };
  const working = withSyncLock(database.sql, new AbortController().signal, work);
  await expect(working).rejects.toThrow("search lock was closed");
});

describe("a rebuild", () => {
  test("ends when it loses its connection to PostgreSQL and so its lock, and can be repeated", async () => {
    await addMany(50);
    // Once the connection is cut, Meilisearch never says that it has done its work, so that nothing else ends it.
    let isCut = false;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      if (isCut && pathname.startsWith("/tasks/")) return new Promise<Response>(() => {});
      if (method === "POST" && pathname.endsWith("_next/documents")) {
        isCut = true;
        await cut();
      }
      return forward();
    });
    await expect(syncSearch({ ...where(), meili: proxy.meili })).rejects.toThrow(
      "search lock was closed",
    );
    expect(isCut).toBe(true);
    expect(await sync()).toMatchObject({ state: "current", rebuilt: true, documents: 50 });
    // Less than the longest request, which would end the work, too.
  }, 20_000);

  test.each([
    ["applied after each batch", 0],
    ["applied at the end", 60_000],
  ])(
    "loses no change that is committed meanwhile and %s, and searches are answered all the time",
    async (_, changesAfterMs) => {
      await addMany(300);
      await sync();
      let isRebuilding = true;
      const answers: number[] = [];
      const asking = (async () => {
        while (isRebuilding) answers.push(await total("zephyr"));
      })();
      const changing = (async () => {
        for (let n = 0; isRebuilding; n = (n + 7) % 300) {
          await database.sql`update businesses set name = name || ' again' where slug = ${`zephyr-${n}`}`;
          await setStatus(`zephyr-${(n + 3) % 300}`, n % 2 ? "suspended" : "approved");
        }
      })();
      const documents = await rebuildIndex({
        ...rebuild(),
        documentsAtOnce: 40,
        changesAfterMs,
      });
      isRebuilding = false;
      await Promise.all([asking, changing]);
      expect(documents).toBeGreaterThan(100);
      expect(answers.length).toBeGreaterThan(5);
      expect(Math.min(...answers)).toBeGreaterThan(100);

      expect(await sync()).toMatchObject({ rebuilt: false });
      const approved = await database.sql<{ id: string; name: string }[]>`
      select id, name from businesses where status = 'approved' order by id`;
      expect(await indexed()).toEqual([...approved]);
      await until(async () => !(await exists(`${index}_next`)), 5_000);
    },
  );

  test("keeps the present index current meanwhile", async () => {
    await addMany(300);
    await sync();
    await addBusiness(database.sql, { name: "Newcomer" });
    let isReading = true;
    const foundMeanwhile: number[] = [];
    await using proxy = proxyMeilisearch(async ({ pathname }, forward) => {
      if (isReading && pathname.endsWith("_next/documents")) {
        foundMeanwhile.push(await total("newcomer"));
      }
      return forward();
    });
    await rebuildIndex({
      ...rebuild(),
      meili: proxy.meili,
      onDocuments(sent) {
        isReading = sent < 301;
      },
      documentsAtOnce: 100,
      changesAfterMs: 0,
    });
    expect(foundMeanwhile).toContain(1);
  });

  test("includes what was committed meanwhile before it replaces the present index", async () => {
    const { id } = await addBusiness(database.sql, { name: "Early" });
    await sync();
    // When all documents have been read.
    await using proxy = proxyMeilisearch(async ({ pathname }, forward) => {
      if (pathname.endsWith("_next/documents")) {
        await database.sql`update businesses set name = 'Latecomer' where id = ${id}`;
      }
      return forward();
    });
    await rebuildIndex({ ...rebuild(), meili: proxy.meili });
    expect(await total("latecomer")).toBe(1);
  });

  test("sends no document after a change that it was read before", async () => {
    await addMany(20);
    await sync();
    // Each time before documents are sent, one that comes with the next ones changes.
    let sent = 0;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      if (method === "POST" && pathname.endsWith("_next/documents")) {
        const slug = `zephyr-${++sent * 5 + 2}`;
        await database.sql`update businesses set name = 'changed' where slug = ${slug}`;
      }
      return forward();
    });
    const { meili } = proxy;
    await rebuildIndex({ ...rebuild(), meili, documentsAtOnce: 5, changesAfterMs: 0 });
    await sync();
    expect(await total("changed")).toBe(3);
  });

  test("leaves the present index as it is when documents are refused", async () => {
    await addBusiness(database.sql, { name: "Present" });
    await sync();
    await addBusiness(database.sql, { name: "Absent" });
    // Documents have no such attribute, so Meilisearch takes them, and then fails.
    await using proxy = proxyMeilisearch(({ method, pathname }, forward) =>
      method === "POST" && pathname.endsWith("_next/documents")
        ? forward('[{ "name": "x" }]')
        : forward(),
    );
    await expect(rebuildIndex({ ...rebuild(), meili: proxy.meili })).rejects.toThrow(
      SearchTaskError,
    );
    expect(await total("present")).toBe(1);
  });

  test("does not replace the present index when the new one refuses a change, which stays recorded", async () => {
    await addBusiness(database.sql, { name: "Present" });
    await sync();
    await addBusiness(database.sql, { name: "Absent" });
    // As above, but only where the new index gets what has changed.
    await using proxy = proxyMeilisearch(({ method, pathname }, forward) =>
      method === "PUT" && pathname.endsWith("_next/documents")
        ? forward('[{ "name": "x" }]')
        : forward(),
    );
    await expect(rebuildIndex({ ...rebuild(), meili: proxy.meili })).rejects.toThrow(
      SearchTaskError,
    );
    expect(await sync()).toMatchObject({ rebuilt: false, changes: 1 });
  });

  test("does not wait for very many recorded changes, and starts again after it was cut short", async () => {
    await addMany(10);
    await recordDeletions(20_000);
    const signal = AbortSignal.timeout(30_000);
    await meili.createIndex(index, { primaryKey: "id" }).waitTask();
    await meili.index(index).updateSettings(indexSettings).waitTask();
    // What is empty is begun again anyway.
    const { id } = await addBusiness(database.sql, { name: "Known" });
    await meili
      .index(index)
      .addDocuments([{ id, name: "known" }])
      .waitTask();
    expect(await pendingChanges()).toBeGreaterThan(20_000);

    const stopping = new AbortController();
    const cutShort = rebuildIndex({
      ...rebuild(),
      signal: AbortSignal.any([signal, stopping.signal]),
      onDocuments: () => stopping.abort(),
      documentsAtOnce: 5,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    expect(await pendingChanges()).toBe(0);
    expect(await sync({ signal })).toMatchObject({ rebuilt: true, documents: 11, changes: 0 });
    expect(await total("zephyr")).toBe(10);
  }, 40_000);

  test("sends nothing more once it is told to stop, however few requests are in flight", async () => {
    await addMany(10);
    const stopping = new AbortController();
    const sent: number[] = [];
    const cutShort = rebuildIndex({
      ...rebuild(),
      present: "missing",
      signal: stopping.signal,
      onDocuments(documents) {
        sent.push(documents);
        stopping.abort();
      },
      documentsAtOnce: 1,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    expect(sent).toEqual([1]);
  });

  test("that was cut short does not disturb the next one, which leaves nothing", async () => {
    await addBusiness(database.sql, { name: "Whole" });
    await meili.createIndex(`${index}_next`, { primaryKey: "id" }).waitTask();
    await meili
      .index(`${index}_next`)
      .addDocuments([{ id: crypto.randomUUID(), name: "half" }])
      .waitTask();
    for (let times = 0; times < 2; times++) await sync({ rebuild: true });
    expect((await indexed()).map((document) => document.name)).toEqual(["whole"]);
    await until(async () => !(await exists(`${index}_next`)), 5_000);
  });

  test("that was cut short leaves nothing once the present index is tidied", async () => {
    await addMany(10);
    await sync();
    const stopping = new AbortController();
    const cutShort = rebuildIndex({
      ...rebuild(),
      signal: stopping.signal,
      onDocuments: () => stopping.abort(),
      documentsAtOnce: 1,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    await until(() => exists(`${index}_next`), 5_000);
    expect(await sync()).toMatchObject({ rebuilt: false });
    expect(await exists(`${index}_next`)).toBe(true);
    await using frail = proxyMeilisearch(({ pathname }, forward) =>
      pathname.endsWith("_next") ? new Response("{}", { status: 503 }) : forward(),
    );
    await expect(syncSearch({ ...where(), meili: frail.meili }, { tidy: true })).rejects.toThrow();
    expect(await sync({ tidy: true })).toMatchObject({ rebuilt: false });
    await until(async () => !(await exists(`${index}_next`)), 5_000);
    expect(await total("zephyr")).toBe(10);
  });
});

describe("the running sync", () => {
  test("follows each commit within seconds", async () => {
    const running = await startSync();
    await until(() => exists(index), 10_000);
    const { slug } = await addBusiness(database.sql, { name: "Swift" });
    await until(async () => (await total("swift")) === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => (await indexed()).length === 0, FOUND_WITHIN_MS);
    await addBusiness(database.sql, { name: "Slow" });
    await until(async () => (await total("slow")) === 1, FOUND_WITHIN_MS);
    // It is only marked, since deleting it takes longer and can wait.
    expect(await indexed({ marked: true })).toHaveLength(2);
    await running.stop();
  });

  test("applies changes together that are committed one after another", async () => {
    const { slug } = await addBusiness(database.sql);
    await sync();
    await using slow = slowMeilisearch(200);
    const running = await startSync({ meili: slow.meili });
    // A run takes a fifth of a second, so the next one begins a second later at the soonest.
    const began = performance.now();
    while (performance.now() - began < 1_500 || slow.runs() === 0) {
      await database.sql`update businesses set review_count = review_count + 1 where slug = ${slug}`;
    }
    const seconds = (performance.now() - began) / 1_000;
    expect(slow.runs()).toBeLessThanOrEqual(1 + Math.ceil(seconds));
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await running.stop();
  });

  test("makes a change that just missed a long run searchable in time with the next one", async () => {
    const { slug } = await addBusiness(database.sql);
    await sync();
    await using slow = slowMeilisearch(1_200);
    const running = await startSync({ meili: slow.meili });
    await setStatus(slug, "suspended");
    await until(() => slow.runs() === 1, FOUND_WITHIN_MS);
    await addBusiness(database.sql, { name: "Latecomer" });
    await until(async () => (await total("latecomer")) === 1, FOUND_WITHIN_MS);
    await running.stop();
  });

  test("tidies up when nothing has happened for a while", async () => {
    // Were a change taken for ever more of them, it would take ten times as long.
    const pollIntervalMs = 200;
    const running = await startSync({ pollIntervalMs });
    await until(() => exists(index), 10_000);
    const { slug } = await addBusiness(database.sql, { name: "Swift" });
    await until(async () => (await indexed({ marked: true })).length === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => (await indexed({ marked: true })).length === 0, FOUND_WITHIN_MS);
    await running.stop();
  });

  test("tidies up now and then also when changes never stop", async () => {
    const running = await startSync({ pollIntervalMs: 40 });
    await until(() => exists(index), 10_000);
    const { slug } = await addBusiness(database.sql, { name: "Swift" });
    await until(async () => (await indexed()).length === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => {
      await database.sql`notify directory_changed`;
      return (await indexed({ marked: true })).length === 0;
    }, 6_000);
    await running.stop();
  });

  test("catches up when Meilisearch comes back, and logs only the changes of state and a new index", async () => {
    let isAway = true;
    await using proxy = proxyMeilisearch((_request, forward) =>
      isAway ? new Response("{}", { status: 503 }) : forward(),
    );
    const lines: string[] = [];
    const log = logInto(lines, "msg");
    await addBusiness(database.sql, { name: "Returner" });
    const running = await startSync({ meili: proxy.meili, log });
    await until(() => lines.length > 0, 5_000);
    isAway = false;
    await until(() => lines.length > 3, 5_000);
    expect(await total("returner")).toBe(1);
    expect(lines).toEqual([
      "the search index falls behind; trying until it works again",
      "building a new search index",
      "the search index is kept current again",
      "built a new search index",
    ]);
    await addBusiness(database.sql, { name: "Latecomer" });
    await until(async () => (await total("latecomer")) === 1, FOUND_WITHIN_MS);
    expect(lines).toHaveLength(4);
    await running.stop();
  });

  test("does not take the attempt of another server for a success", async () => {
    let requests = 0;
    await using proxy = proxyMeilisearch(() => {
      requests += 1;
      return new Response("{}", { status: 503 });
    });
    const lines: string[] = [];
    const running = await startSync({ meili: proxy.meili, log: logInto(lines, "msg") });
    await until(() => lines.length > 0, 5_000);
    await withSyncLock(database.sql, new AbortController().signal, async () => {
      const before = await countSessions();
      // Each attempt is a session of its own.
      await until(async () => (await countSessions()) > before + 2, 20_000);
    });
    expect(running.isFailing()).toBe(true);
    const before = requests;
    await until(() => requests > before, 10_000);
    expect(lines).toEqual(["the search index falls behind; trying until it works again"]);
    await running.stop();
  });

  test("continues after PostgreSQL has cut all connections", async () => {
    const running = await startSync();
    await until(() => exists(index), 10_000);
    const watcher = openPostgres(database.url, { max: 1 });
    await watcher`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await addBusiness(watcher, { name: "Survivor" });
    // The connections of this test were cut as well, and a busy machine notices late.
    await until(async () => (await total("survivor").catch(() => 0)) === 1, 5_000);
    await watcher.end();
    await running.stop();
  });

  test("two servers share the work without losing a change", async () => {
    const running = await Promise.all([startSync(), startSync()]);
    await until(() => exists(index), 10_000);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => addBusiness(database.sql, { name: `Twenty ${n}` })),
    );
    await until(async () => (await total("twenty")) === 20, 5_000);
    await until(async () => (await pendingChanges()) === 0, 5_000);
    await Promise.all(running.map((one) => one.stop()));
  });

  test("leaves an index of another version to servers that apply changes to it, and builds its own when none does", async () => {
    const { id } = await addBusiness(database.sql, { name: "First" });
    await sync();
    let looks = 0;
    await using proxy = proxyMeilisearch(({ pathname }, forward) => {
      if (pathname.endsWith("/settings/displayed-attributes")) looks++;
      return forward();
    });
    // Long beside a round, so that no round holds the same change for three polls.
    const running = await startSync({ meili: proxy.meili, pollIntervalMs: 200 });
    // It has looked once, and not built the index itself, after which it would rest for longer.
    await copyBusiness(database.sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    const shown = () => meili.index(index).getDisplayedAttributes();
    await meili.index(index).updateDisplayedAttributes(["id", "version-other"]).waitTask();
    looks = 0;
    for (let round = 0; looks < 7; round++) {
      await copyBusiness(database.sql, id, `round-${round}`);
      // It always lacks a change, though never one for long.
      await database.sql`delete from search_changes where id < (select max(id) from search_changes)`;
      await Bun.sleep(50);
    }
    expect(await shown()).toEqual(["id", "version-other"]);
    await addBusiness(database.sql, { name: "Orphan" });
    let later = 0;
    await until(async () => {
      await copyBusiness(database.sql, id, `later-${later++}`);
      return (await total("orphan")) === 1;
    }, FOUND_WITHIN_MS);
    expect(await shown()).toEqual(indexSettings.displayedAttributes as string[]);
    await running.stop();
  });

  test("leaves an index of another version that lacks nothing, however long nothing changes", async () => {
    const { id } = await addBusiness(database.sql, { name: "First" });
    await sync();
    let looks = 0;
    await using proxy = proxyMeilisearch(({ pathname }, forward) => {
      if (pathname.endsWith("/settings/displayed-attributes")) looks++;
      return forward();
    });
    const running = await startSync({ meili: proxy.meili, pollIntervalMs: 50 });
    await copyBusiness(database.sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await meili.index(index).updateDisplayedAttributes(["id", "version-other"]).waitTask();
    const before = looks;
    await until(() => looks > before + 10, 20_000);
    expect(await meili.index(index).getDisplayedAttributes()).toEqual(["id", "version-other"]);
    await running.stop();
  });

  test("does not count an outage of Meilisearch as a time in which no server applied changes", async () => {
    const { id } = await addBusiness(database.sql, { name: "First" });
    await sync();
    let looks = 0;
    let isFrail = false;
    await using proxy = proxyMeilisearch(({ pathname }, forward) => {
      const isLook = isFrail && pathname.endsWith("/settings/displayed-attributes");
      return isLook && ++looks % 3 === 0 ? new Response(null, { status: 503 }) : forward();
    });
    const running = await startSync({ meili: proxy.meili, pollIntervalMs: 100 });
    await copyBusiness(database.sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await meili.index(index).updateDisplayedAttributes(["id", "version-other"]).waitTask();
    isFrail = true;
    await copyBusiness(database.sql, id, "lacking");
    // If the outages counted, the seventh would find it abandoned, and another come once an index is built.
    await until(() => looks > 8, 20_000);
    expect(await meili.index(index).getDisplayedAttributes()).toEqual(["id", "version-other"]);
    await running.stop();
  });

  test("replaces an index of another version when it starts", async () => {
    await addBusiness(database.sql, { name: "First" });
    await sync();
    await meili.index(index).updateDisplayedAttributes(["id", "version-other"]).waitTask();
    const running = await startSync();
    await until(
      async () => !(await meili.index(index).getDisplayedAttributes()).includes("version-other"),
      10_000,
    );
    await running.stop();
  });

  test("stops although Meilisearch hangs", async () => {
    const hung = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    });
    const running = await startSync({ meili: openMeilisearch(hung.url.href, "") });
    await until(() => hung.pendingRequests > 0, 5_000);
    const started = performance.now();
    await running.stop();
    expect(performance.now() - started).toBeLessThan(10_000);
    await hung.stop(true);
  });
});

/** Meilisearch, which takes this much longer for each run that brings it something. */
function slowMeilisearch(delayMs: number) {
  let runs = 0;
  const proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
    if (method !== "GET" && pathname.endsWith("/documents")) {
      runs += 1;
      await Bun.sleep(delayMs);
    }
    return forward();
  });
  return { ...proxy, runs: () => runs };
}

const startSync = (options: Partial<Parameters<typeof startSearchSync>[0]> = {}) =>
  startSearchSync({ ...where(), listener: database.sql, log: silent, ...options });

/** What a rebuild beside a present index needs. */
const rebuild = () => ({
  ...where(),
  present: "fits" as const,
  signal: new AbortController().signal,
  onDocuments: () => {},
});

/** What users are promised. */
const FOUND_WITHIN_MS = 5_000;

async function exists(name: string): Promise<boolean> {
  const { results } = await meili.getRawIndexes({ limit: 1_000 });
  return results.some(({ uid }) => uid === name);
}

test("a server keeps answering while it makes thousands of documents", async () => {
  const { id } = await addBusiness(database.sql);
  await copyBusiness(database.sql, id, "copy", 1_999);
  const normalise = String.prototype.normalize;
  let total = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  const texts = spyOn(String.prototype, "normalize").mockImplementation(function (
    this: string,
    form?: string,
  ) {
    total += 1;
    inTurn += 1;
    mostInTurn = Math.max(mostInTurn, inTurn);
    return normalise.call(this, form);
  });
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  try {
    const [documents] = await Array.fromAsync(readAllDocuments(database.sql, 5_000));
    expect(documents).toHaveLength(2_000);
    expect(total).toBeGreaterThan(2_000);
    expect(mostInTurn).toBeLessThan(total / 5);
  } finally {
    clearImmediate(turn);
    texts.mockRestore();
  }
});
