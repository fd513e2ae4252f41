import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRandom } from "../../scripts/generate/random.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { checkLists } from "../../src/directory/list-check.ts";
import { repairLists } from "../../src/directory/list-repair.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import { COMPACTION_LOCK, IMPORT_LOCK } from "../../src/store/locks.ts";
import { openPostgres, type Sql, type Transaction } from "../../src/store/postgres.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, delayedBy, type TestDatabase } from "../support.ts";

let database: TestDatabase;
let sql: Sql;
beforeEach(async () => {
  database = await createDatabase();
  sql = database.sql;
});
afterEach(() => database.drop());

/** Like a data-only restore, or a logical subscription. */
async function withoutTriggers(change: (transaction: Transaction) => Promise<unknown>) {
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await change(transaction);
  });
}

const fine = { faults: [], wrongAncestors: 0, wrongHours: 0, wrongReferences: 0 };

test("finds nothing wrong in an empty directory or in one that has changed", async () => {
  const told: number[] = [];
  const onProgress = (done: number, categories: number) => told.push(done / categories);
  expect(await checkLists(sql, { onProgress })).toEqual({ businesses: 0, lists: 0, ...fine });
  expect([told[0], told.at(-1)]).toEqual([1 / told.length, 1]);
  await addBusiness(sql, { category: "pubs", city: "Leeds" });
  const moved = await addBusiness(sql, { category: "plumbers", city: "Leeds" });
  await addBusiness(sql, { category: "plumbers", city: "York", status: "pending" });
  await sql`update businesses set city_id = (select id from cities where slug = 'york') where id = ${moved.id}`;
  await sql`update categories set parent_id = (select id from categories where slug = 'plumbers') where slug = 'pubs'`;
  // All, Leeds, York; plumbers, theirs in Leeds and York; pubs in Leeds and all; what is above plumbers.
  const check = await checkLists(sql);
  expect(check).toEqual({ businesses: 2, lists: expect.any(Number), ...fine });
  expect(check.lists).toBeGreaterThanOrEqual(8);
});

test("tells which lists are wrong, and makes them right", async () => {
  const leaving = await addBusiness(sql, { category: "pubs", city: "Leeds" });
  const coming = await addBusiness(sql, { category: "pubs", city: "Leeds", status: "pending" });
  const rated = await addBusiness(sql, { category: "pubs", city: "York" });
  await withoutTriggers(async (transaction) => {
    await transaction`update businesses set status = 'suspended' where id = ${leaving.id}`;
    await transaction`update businesses set status = 'approved' where id = ${coming.id}`;
    await transaction`update businesses set rating = 1 where id = ${rated.id}`;
  });

  const { faults } = await checkLists(sql);
  /** Findings for `count` businesses, each missing from its list and listed where it should not be. */
  const displaced = (category: string | null, city: string | null, count: number) => {
    const numbers = { total: count, due: count, missing: count, strays: count, wrongChunks: 0 };
    return { category, city, ...numbers };
  };
  expect(faults.filter(({ category }) => category === "pubs")).toHaveLength(3);
  expect(faults).toContainEqual(displaced("pubs", null, 2));
  expect(faults).toContainEqual(displaced("pubs", "leeds", 1));
  expect(faults).toContainEqual(displaced("pubs", "york", 1));
  expect(faults).toContainEqual(displaced(null, null, 2));

  await sql`delete from search_changes`;
  expect((await repairLists(sql)).faults).toEqual(faults);
  expect(await checkLists(sql)).toMatchObject({ businesses: 2, ...fine });
  const { total, businesses } = await listBusinesses(sql, { city: "leeds", offset: 0, limit: 10 });
  expect([total, businesses.map(({ slug }) => slug)]).toEqual([1, [coming.slug]]);
  const told = await sql<{ id: string }[]>`select distinct business_id as id from search_changes`;
  expect(told.map(({ id }) => id).sort()).toEqual([leaving.id, coming.id, rated.id].sort());
});

test("a repair announces that any page may be wrong, and that search has something to do", async () => {
  await addBusiness(sql);
  const heard: string[] = [];
  const listening = await Promise.all(
    ["directory_pages", "directory_changed"].map((channel) =>
      sql.listen(channel, (payload) => heard.push(`${channel} ${payload}`)),
    ),
  );
  await repairLists(sql);
  await until(async () => heard.length >= 2, 5_000);
  expect(heard.sort()).toEqual(["directory_changed ", "directory_pages *"]);
  await Promise.all(listening.map(({ unlisten }) => unlisten()));
});

test("finds a total that is wrong, and a chunk that begins in the wrong place", async () => {
  for (let count = 0; count < 9; count++) await addBusiness(sql, { reviewCount: count });
  // Another list, which stays as it is.
  await addBusiness(sql, { city: "York" });
  await sql`select compact_listing_counts(4)`;
  expect(await checkLists(sql)).toMatchObject({ businesses: 10, ...fine });

  await sql`
    update listing_counts set change = change + 1
    where category_id = 0 and city_id = (select id from cities where slug = 'leeds') and from_rank = 0`;
  // The total of the list is right, but not the count up to the middle.
  await sql`
    update listing_counts set change = change + (case when from_rank = 0 then 1 else -1 end)
    where category_id = 0 and city_id = 0 and (from_rank = 0 or from_rank = (
      select max(from_rank) from listing_counts where category_id = 0 and city_id = 0))`;
  const { faults } = await checkLists(sql);
  const counted = faults.map(({ city, total, due, wrongChunks }) => [
    city,
    total,
    due,
    wrongChunks,
  ]);
  expect(counted).toEqual(
    expect.arrayContaining([
      ["leeds", 10, 9, 1],
      [null, 10, 10, 2],
    ]),
  );
  expect(faults).toHaveLength(2);
  await repairLists(sql);
  expect(await checkLists(sql)).toMatchObject({ businesses: 10, ...fine });
});

test("finds the lists of a category and of a city that are gone", async () => {
  const { id } = await addBusiness(sql, { category: "pubs", city: "Leeds" });
  const [gone] = await sql<[{ category: string; city: string }]>`
    select '#' || category_id as category, '#' || city_id as city from businesses where id = ${id}`;
  await withoutTriggers(async (transaction) => {
    await transaction`delete from businesses where id = ${id}`;
    await transaction`delete from cities where slug = 'leeds'`;
    await transaction`delete from categories where slug = 'pubs'`;
  });
  const { faults } = await checkLists(sql);
  expect(faults).toContainEqual({
    ...gone,
    total: 1,
    due: 0,
    missing: 0,
    strays: 1,
    wrongChunks: 0,
  });
  await repairLists(sql);
  expect(await checkLists(sql)).toEqual({ businesses: 0, lists: 0, ...fine });
});

test("finds businesses whose category or city is gone, and no fault in those that have none", async () => {
  const none = await addBusiness(sql, { status: "pending" });
  await sql`update businesses set category_id = null, city_id = null where id = ${none.id}`;
  await withoutTriggers((transaction) => transaction`delete from cities`);
  expect(await checkLists(sql)).toMatchObject(fine);

  const inPubs = await addBusiness(sql, { category: "pubs", city: "York" });
  const inLeeds = await addBusiness(sql, { category: "plumbers", city: "Leeds" });
  await addBusiness(sql, { category: "plumbers", city: "York" });
  await withoutTriggers(async (transaction) => {
    await transaction`delete from categories where slug = 'pubs'`;
    await transaction`delete from cities where slug = 'leeds'`;
  });
  expect(await repairLists(sql)).toMatchObject({ wrongReferences: 2 });
  expect(await checkLists(sql)).toMatchObject({ faults: [], wrongReferences: 2 });

  await sql`
    update businesses set category_id = (select id from categories where slug = 'plumbers')
    where id = ${inPubs.id}`;
  await sql`
    update businesses set city_id = (select id from cities where slug = 'york')
    where id = ${inLeeds.id}`;
  await repairLists(sql);
  expect(await checkLists(sql)).toMatchObject({ businesses: 3, ...fine });
});

test("finds a tree that does not match the parents, even one with a cycle", async () => {
  const pub = await addBusiness(sql, { category: "pubs" });
  await withoutTriggers(
    (transaction) =>
      transaction`update categories set parent_id = (select id from categories where slug = 'plumbers') where slug = 'pubs'`,
  );
  const before = await checkLists(sql);
  expect(before.wrongAncestors).toBeGreaterThan(0);
  expect(before.faults.map(({ category }) => category)).toContain("plumbers");
  await repairLists(sql);
  expect(await checkLists(sql)).toMatchObject(fine);
  const list = await listBusinesses(sql, { category: "plumbers", offset: 0, limit: 10 });
  expect(list.businesses.map(({ slug }) => slug)).toEqual([pub.slug]);

  await withoutTriggers(
    (transaction) =>
      transaction`update categories set parent_id = (select id from categories where slug = 'pubs') where slug = 'plumbers'`,
  );
  await repairLists(sql);
  expect(await checkLists(sql)).toMatchObject(fine);
  const [own] = await sql`
    select max(distance) as distance from category_ancestors where category_id = ancestor_id`;
  expect(own).toEqual({ distance: 0 });
});

test("a category whose parent is gone becomes a root", async () => {
  await addBusiness(sql, { category: "pubs" });
  await withoutTriggers(
    (transaction) => transaction`
      delete from categories where id = (select parent_id from categories where slug = 'pubs')`,
  );
  const { wrongAncestors, faults } = await checkLists(sql);
  expect(wrongAncestors).toBeGreaterThan(0);
  expect(faults).toContainEqual(expect.objectContaining({ total: 1, due: 0, strays: 1 }));
  await repairLists(sql);
  expect(await checkLists(sql)).toMatchObject({ businesses: 1, ...fine });
});

test("finds ancestors that are missing, spurious, or at the wrong distance", async () => {
  await withoutTriggers(async (transaction) => {
    const parentOf = (slug: string) => transaction`
      distance = 1 and category_id = (select id from categories where slug = ${slug})`;
    await transaction`delete from category_ancestors where ${parentOf("plumbers")}`;
    await transaction`update category_ancestors set distance = 2 where ${parentOf("pubs")}`;
    await transaction`
      insert into category_ancestors (category_id, ancestor_id, distance)
      select one.id, other.id, 1 from categories as one, categories as other
      where one.slug = 'plumbers' and other.slug = 'pubs'`;
  });
  // One at a wrong distance is spurious, and the right one is missing.
  expect((await checkLists(sql)).wrongAncestors).toBe(4);
  await repairLists(sql);
  expect((await checkLists(sql)).wrongAncestors).toBe(0);
});

test("reports no fault in concurrent changes, and its repair loses none of them", async () => {
  for (let count = 0; count < 40; count++) await addBusiness(sql, { reviewCount: count });
  const slugs = (await sql<{ slug: string }[]>`select slug from businesses`).map(
    ({ slug }) => slug,
  );
  let isOver = false;
  const change = async (seed: number) => {
    const random = createRandom(seed);
    let changes = 0;
    while (!isOver) {
      const status = random.pick(["approved", "approved", "suspended"]);
      await sql`
        update businesses set status = ${status}::business_status, review_count = ${random.between(0, 99)}
        where slug = ${random.pick(slugs)}`;
      changes += 1;
    }
    return changes;
  };
  const compact = async () => {
    let steps = 0;
    for (; !isOver; steps++) await sql`select compact_listing_counts(4)`;
    return steps;
  };
  const changing = [change(1), change(2), change(3), compact()];
  try {
    for (let round = 0; round < 5; round++) {
      expect(await checkLists(sql)).toMatchObject(fine);
      await withoutTriggers(
        (transaction) =>
          transaction`update businesses set is_premium = not is_premium where slug = ${slugs[round] as string}`,
      );
      await repairLists(sql);
    }
  } finally {
    isOver = true;
  }
  for (const changes of await Promise.all(changing)) expect(changes).toBeGreaterThan(0);
  expect(await checkLists(sql)).toMatchObject(fine);
});

test("a repair waits for an import and for a compaction without blocking others", async () => {
  const { id } = await addBusiness(sql);
  for (const lock of [IMPORT_LOCK, COMPACTION_LOCK]) {
    await delayedBy(
      sql,
      (holder) => holder`select pg_advisory_xact_lock(${lock})`,
      () => repairLists(sql),
      {
        meanwhile: () =>
          sql`update businesses set review_count = review_count + 1 where id = ${id}`,
      },
    );
  }
  expect(await checkLists(sql)).toMatchObject({ businesses: 1, ...fine });
});

test("a check and a repair may take long, whatever timeouts their role has", async () => {
  await addBusiness(sql);
  const name = new URL(database.url).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set statement_timeout = '200ms'`);
  const limited = openPostgres(database.url, { max: 1 });
  for (const look of [checkLists, repairLists]) {
    const check = await delayedBy(
      sql,
      (other) => other`lock table categories`,
      () => look(limited),
      { meanwhile: () => Bun.sleep(500) },
    );
    expect(check).toMatchObject({ businesses: 1, ...fine });
  }
  await limited.end();
});
