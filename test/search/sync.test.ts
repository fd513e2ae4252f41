import { describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { applyChanges } from "../../src/search/changes.ts";
import { createSearch } from "../../src/search/query.ts";
import { removeUnfinished } from "../../src/search/rebuild.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { SearchTaskError } from "../../src/search/tasks.ts";
import { SEARCH_SYNC_LOCK } from "../../src/store/locks.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { createDatabase } from "../support.ts";
import { isLockFree, openEmptyDirectory } from "./empty-directory.ts";
import { proxyMeilisearch } from "./proxy.ts";

const directory = await openEmptyDirectory();
const { sql, meili, where, index, nextIndex, sync, search, total, indexed } = directory;
const { setStatus, pendingChanges, addMany, recordDeletions } = directory;

describe("bringing the index up to date", () => {
  test("the first run builds the index, the next applies only what has changed", async () => {
    await addBusiness(sql, { name: "Anvil Works" });
    await addBusiness(sql, { name: "Bellows Yard", status: "pending" });
    expect(await sync()).toEqual({ state: "current", rebuilt: true, documents: 1, changes: 0 });
    const { slug } = await addBusiness(sql, { name: "Crucible Hall" });
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
    const kept = await addBusiness(sql, { name: "Kept Kites" });
    const back = await addBusiness(sql, { name: "Back Kites" });
    const suspended = await addBusiness(sql, { name: "Suspended Kites" });
    const deleted = await addBusiness(sql, { name: "Deleted Kites" });
    await sync();
    await setStatus(back.slug, "suspended");
    await setStatus(suspended.slug, "suspended");
    await sql`delete from businesses where id = ${deleted.id}`;
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
    const { total } = await meili.tasks.getTasks({ indexUids: [index().uid] });
    expect(total).toBeGreaterThan(0);
  });

  test("a business that came and went between two runs is not found", async () => {
    await sync();
    const { id, slug } = await addBusiness(sql, { name: "Brief Kites" });
    await setStatus(slug, "suspended");
    await sql`delete from businesses where id = ${id}`;
    await sync();
    expect(await total("brief kites")).toBe(0);
    await sync({ tidy: true });
    expect(await indexed({ marked: true })).toEqual([]);
  });

  test("a renamed category or city is found by its new name", async () => {
    await addBusiness(sql, { category: "plumbers" });
    await sync();
    await sql`update categories set name = 'Zinkworkers' where slug = 'plumbers'`;
    await sync();
    expect(await total("zinkworker")).toBe(1);
    await sql`update cities set name = 'Xanadu' where slug = 'leeds'`;
    await sync();
    expect(await total("xanadu")).toBe(1);
  });

  test("a search is filtered by a category or city whose slug has changed", async () => {
    await sql`insert into categories (slug, name) values ('coopers', 'Coopers')`;
    await addBusiness(sql, { name: "Quux", category: "coopers", city: "Ely" });
    await sync();
    const filtered = async (filter: { city?: string; category?: string }) =>
      (await createSearch(where())({ text: "quux", limit: 1, ...filter })).total;
    await sql`update cities set slug = 'ely-on-ouse' where slug = 'ely'`;
    await sync();
    expect(await filtered({ city: "ely-on-ouse" })).toBe(1);
    await sql`update categories set slug = 'barrel-makers' where slug = 'coopers'`;
    await sync();
    expect(await filtered({ category: "barrel-makers" })).toBe(1);
  });

  // While the name of a city changes, PostgreSQL itself makes new businesses in it wait.
  for (const [what, slug] of [
    ["category", "plumbers"],
    ["branch", "building-trades"],
  ] as const) {
    test(`a business added while its ${what} is renamed is found by the new name, and only by that`, async () => {
      const { id } = await addBusiness(sql, { name: "Quux Works" });
      await sync();
      const rename = await sql.reserve();
      await rename`begin`;
      const [old] = await rename`
        update categories set name = 'Zinkworkers' where slug = ${slug} returning old.name`;
      await copyBusiness(sql, id, "xyloid");
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
    await addBusiness(sql);
    await sync();
    await index().updateDisplayedAttributes(["id"]).waitTask();
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 1 });
    expect(await sync()).toMatchObject({ rebuilt: false });
  });

  test("an index that lost its documents is rebuilt", async () => {
    await addBusiness(sql);
    await sync();
    await index().deleteAllDocuments().waitTask();
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 1 });
  });

  test("an index that lost its documents is rebuilt also when something has changed since", async () => {
    await addBusiness(sql, { name: "Anvil Works" });
    await sync();
    await index().deleteAllDocuments().waitTask();
    await addBusiness(sql, { name: "Bellows Yard" });
    expect(await sync()).toMatchObject({ rebuilt: true, documents: 2 });
    expect(await total("anvil")).toBe(1);
  });

  test("a task that fails is an error, and the changes stay recorded", async () => {
    await sync();
    const { displayedAttributes } = await index().getSettings();
    await meili.deleteIndex(index().uid).waitTask();
    // Documents have no such attribute, so Meilisearch takes the task and then fails it.
    await meili.createIndex(index().uid, { primaryKey: "isbn" }).waitTask();
    await index()
      .updateSettings({ displayedAttributes: displayedAttributes ?? [] })
      .waitTask();
    await addBusiness(sql);
    const before = await pendingChanges();
    expect(before).toBeGreaterThan(0);
    await expect(sync()).rejects.toThrow(SearchTaskError);
    expect(await pendingChanges()).toBe(before);
  });

  test("changes stay recorded while Meilisearch is away, and are applied afterwards", async () => {
    await sync();
    await addBusiness(sql, { name: "Patience" });
    const away = { ...where(), meili: openMeilisearch("http://127.0.0.1:9", "") };
    await expect(syncSearch(away)).rejects.toThrow("127.0.0.1:9");
    expect(await pendingChanges()).toBeGreaterThan(0);
    await sync();
    expect(await total("patience")).toBe(1);
  });

  test("many changes are applied in batches, with reports of progress", async () => {
    await sync();
    await addBusiness(sql, { name: "Zephyr First" });
    await recordDeletions(11_000);
    await addBusiness(sql, { name: "Zephyr Last" });
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
    await sql`update businesses set short_description = repeat('gneiss ', 1500000)`;
    expect(await sync()).toMatchObject({ rebuilt: false, changes: 24 });
    expect(await total("gneiss")).toBe(12);
  });

  test("a change need not wait for all that was recorded before it", async () => {
    await sync();
    await recordDeletions(12_000);
    await addBusiness(sql, { name: "Zephyr" });
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
    const done = await applyChanges(slowSql, meili, [index().uid], signal, () =>
      isApplied.resolve(),
    );
    expect(done).toBe(12_000);
    expect(await pendingChanges()).toBe(0);
  });

  test("a run ends although changes never stop", async () => {
    const { id } = await addBusiness(sql);
    await sync();
    await copyBusiness(sql, id, "first");
    let sent = 0;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      const isSent = method !== "GET" && pathname.endsWith("/documents");
      if (isSent && sent++ < 5) await copyBusiness(sql, id, `later-${sent}`);
      return forward();
    });
    const result = await syncSearch({ ...where(), meili: proxy.meili });
    expect(result).toMatchObject({ rebuilt: false, changes: 1 });
    expect(await pendingChanges()).toBe(1);
  });

  test("one process syncs at a time", async () => {
    await addBusiness(sql);
    await sql.begin(async (other) => {
      await other`select pg_advisory_xact_lock(${SEARCH_SYNC_LOCK})`;
      expect(await sync()).toEqual({ state: "busy" });
    });
    expect(await sync()).toMatchObject({ state: "current" });
  });

  test("the lock is free as soon as a run has ended, whether or not it succeeded", async () => {
    const reason = new Error("enough");
    for (let time = 0; time < 5; time++) {
      await sync();
      expect(await isLockFree(sql)).toBe(true);
      await addBusiness(sql);
      await expect(sync({ signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
      expect(await isLockFree(sql)).toBe(true);
    }
  });

  test("a run can be ended early, and the next one continues", async () => {
    await addBusiness(sql);
    const reason = new Error("enough");
    await expect(sync({ signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
    expect(await sync()).toMatchObject({ state: "current", documents: 1 });
  });
});

test("nothing is sent to Meilisearch once the lock is lost", async () => {
  await sync();
  await addBusiness(sql);
  const uid = index().uid;
  const next = nextIndex().uid;
  await meili.createIndex(next, { primaryKey: "id" }).waitTask();
  const told = async () => (await meili.tasks.getTasks({ indexUids: [uid, next] })).total;
  const before = await told();
  const lost = AbortSignal.abort(new Error("lost"));
  await expect(applyChanges(sql, meili, [uid], lost)).rejects.toThrow("lost");
  await expect(removeUnfinished(meili, uid, lost)).rejects.toThrow("lost");
  expect(await told()).toBe(before);
  expect(await pendingChanges()).toBe(1);
});
