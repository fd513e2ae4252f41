import { afterAll, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { followAnnouncements } from "../../src/directory/announcements.ts";
import { importCategories } from "../../src/directory/import/categories.ts";
import { importRecords } from "../../src/directory/import.ts";
import { checkLists } from "../../src/directory/list-check.ts";
import { repairLists } from "../../src/directory/list-repair.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import type { Transaction } from "../../src/store/postgres.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { createDatabase, delayedBy, silent, untilBlocked } from "../support.ts";

// Cities and categories, as businesses refer to them.

const database = await createDatabase();
const { sql } = database;
afterAll(() => database.drop());

test("the deletion of a city is announced, since one created again under its slug is a different one", async () => {
  await sql`insert into cities (slug, name) values ('brief-town', 'Brief Town')`;
  let told = 0;
  const announcements = await followAnnouncements(sql, silent, (changes) => {
    if (changes === "everything") told += 1;
  });
  await until(() => told === 1, 5_000); // of the beginning
  await sql`delete from cities where slug = 'brief-town'`;
  await until(() => told === 2, 5_000);
  await announcements.stop();
});

for (const [column, table] of [
  ["city_id", "cities"],
  ["category_id", "categories"],
] as const) {
  test(`a transaction with an older snapshot cannot delete ${table}`, async () => {
    const { id } = await addBusiness(sql, { city: `Town of ${table}` });
    await sql`update businesses set ${sql(column)} = null, status = 'pending' where id = ${id}`;
    const [row] = await sql<[{ id: number }]>`
      insert into ${sql(table)} (slug, name) values ('held-one', 'Held One') returning id`;
    const attempt = sql.begin("isolation level repeatable read", async (transaction) => {
      await transaction`select from businesses`;
      await sql`update businesses set ${sql(column)} = ${row.id} where id = ${id}`;
      await transaction`delete from ${transaction(table)} where id = ${row.id}`;
    });
    await expect(attempt).rejects.toThrow("read committed");
    expect((await sql`select from ${sql(table)} where id = ${row.id}`).length).toBe(1);
  });
}

for (const [title, outcome, deletion] of [
  [
    "its businesses are deleted with it",
    "refused",
    (category) => sql`
      with gone as (delete from businesses where category_id = ${category})
      delete from categories where id = ${category}`,
  ],
  [
    "its businesses move",
    "refused",
    (category, other) => sql`
      with moved as (update businesses set category_id = ${other} where category_id = ${category})
      delete from categories where id = ${category}`,
  ],
  [
    "a branch moves out of it",
    "refused",
    (category, other) => sql`
      with moved as (update categories set parent_id = ${other} where id = ${category})
      delete from categories where slug = 'brief-branch'`,
  ],
  [
    "its businesses are deleted after it",
    "done",
    (category) => sql`
      with gone as (delete from categories where id = ${category})
      delete from businesses where category_id = ${category}`,
  ],
  [
    "its businesses move after it",
    "done",
    (category, other) => sql`
      with gone as (delete from categories where id = ${category})
      update businesses set category_id = ${other} where category_id = ${category}`,
  ],
] as [string, "refused" | "done", (category: number, other: number) => Promise<unknown>][]) {
  test(`lists stay right when a category is deleted and, in the same statement, ${title}`, async () => {
    // Many take a different path than a few.
    for (const count of [2, 30]) {
      await sql`insert into categories (slug, name) values ('brief-branch', 'Brief branch')`;
      const [{ id: category }, { id: other }] = await sql<[{ id: number }, { id: number }]>`
        insert into categories (slug, name, parent_id)
        select new.slug, new.slug, branch.id
        from categories as branch, unnest(array['brief-one', 'brief-other']) as new (slug)
        where branch.slug = 'brief-branch' returning id`;
      const { id } = await addBusiness(sql, { category: "brief-one" });
      await copyBusiness(sql, id, "brief", count - 1);
      const [settled] = await Promise.allSettled([deletion(category, other)]);
      expect((await checkLists(sql)).faults).toEqual([]);
      if (outcome === "done") expect(settled.status).toBe("fulfilled");
      else expect(settled).toMatchObject({ reason: { code: "23503" } });
      await sql`delete from businesses where category_id in (${category}, ${other})`;
      await sql`delete from categories where id in (${category}, ${other})`;
      await sql`delete from categories where slug = 'brief-branch'`;
    }
  });
}

test("a category or city with the id 0, which lists have for any, is refused", async () => {
  for (const table of ["categories", "cities"]) {
    const insert = sql`
      insert into ${sql(table)} (id, slug, name) overriding system value values (0, 'zero', 'Zero')`;
    await expect(insert).rejects.toThrow("id_is_positive");
  }
});

test("a name of a category or city that is longer than an import accepts is refused", async () => {
  const name = "n".repeat(201);
  for (const table of ["categories", "cities"]) {
    const insert = sql`insert into ${sql(table)} (slug, name) values ('long', ${name})`;
    await expect(insert).rejects.toThrow("name_is_not_too_long");
  }
});

test("a category that comes before its parent in one statement is refused", async () => {
  const insert = sql`
    insert into categories (id, slug, name, parent_id) overriding system value
    values (900001, 'early-child', 'Early child', 900002), (900002, 'late-parent', 'Late parent', null)`;
  await expect(insert).rejects.toThrow("early-child comes before its parent");
  await sql`
    insert into categories (id, slug, name, parent_id) overriding system value
    values (900002, 'late-parent', 'Late parent', null), (900001, 'early-child', 'Early child', 900002)`;
});

test("businesses that come before their category in one statement are refused, and listed when they come after it", async () => {
  const { id } = await addBusiness(sql);
  const made = sql`
    insert into categories (id, slug, name) overriding system value
    values (900003, 'brief-one', 'Brief one') returning id`;
  const copies = (category = sql`900003`) => sql`
    insert into businesses (
      slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
    select 'brief-' || n, name, status, ${category}, city_id, address_line1, postcode, latitude, longitude
    from businesses, generate_series(1, 2) as n where businesses.id = ${id}`;
  const moved = sql`update businesses set category_id = 900003 where id = ${id}`;
  for (const before of [copies(), moved]) {
    const statement = sql`with made as (${made}) ${before}`;
    await expect(statement).rejects.toThrow("a business needs a category that exists");
  }
  await sql`with made as (${made}) ${copies(sql`(select id from made)`)}`;
  expect((await checkLists(sql)).faults).toEqual([]);
});

test("an import finds a city that is added while it runs", async () => {
  async function* records() {
    await sql`insert into cities (slug, name) values ('late-town', 'Late Town')`;
    yield {
      sourceId: "1",
      name: "Late Shop",
      category: "plumbers",
      city: "Late Town",
      address: { line1: "1 High Street", postcode: "LS1 6HD" },
      coordinates: { lat: 53.8, lng: -1.5 },
    };
  }
  const counts = await importRecords(sql, records(), { source: "late" });
  expect(counts).toMatchObject({ created: 1, pending: 0 });
});

test("an operator's change to a category waits for a running import, and neither fails", async () => {
  await importCategories(sql, [
    { slug: "changed-kind", name: "Changed kind" },
    { slug: "changed-top", name: "Changed top" },
  ]);
  let change: Promise<unknown> = Promise.resolve();
  async function* records() {
    const shop = (sourceId: string, category: string) => ({
      sourceId,
      name: `Shop ${sourceId}`,
      category,
      city: "Norwich",
      address: { line1: "1 High Street", postcode: "NR2 1TF" },
      coordinates: { lat: 52.6, lng: 1.3 },
    });
    // As many as a batch, so that the first ones are written before the last one is.
    for (let number = 1; number <= 10_000; number++) yield shop(`${number}`, "plumbers");
    yield shop("10001", "plumbers");
    await until(
      async () =>
        (
          await sql`select from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and mode = 'ShareLock'`
        ).length > 0,
      10_000,
    );
    change = sql.begin(async (operator) => {
      // It checks for a deadlock at once, and finds none yet. The import would check later.
      await operator`set local deadlock_timeout = 1`;
      await operator`
        update categories set slug = 'changed-kind-of',
          parent_id = (select id from categories where slug = 'changed-top')
        where slug = 'changed-kind'`;
    });
    change.catch(() => {});
    await untilBlocked(sql);
    yield shop("10002", "changed-kind");
  }
  const counts = await importRecords(sql, records(), { source: "changed-kind" });
  expect(counts).toMatchObject({ created: 10_002, pending: 0 });
  await change;
  const { total } = await listBusinesses(sql, { category: "changed-top", offset: 0, limit: 1 });
  expect(total).toBe(1);
});

test("moving a branch moves everything below it", async () => {
  const place = (slug: string, parent: string | null) => sql`
    insert into categories (slug, name, parent_id)
    values (${slug}, ${slug}, (select id from categories where slug = ${parent}))`;
  for (const [slug, parent] of [
    ["old-top", null],
    ["new-top", null],
    ["middle", "old-top"],
    ["bottom", "middle"],
  ] as const) {
    await place(slug, parent);
  }
  await addBusiness(sql, { category: "bottom" });
  await sql`
    update categories set parent_id = (select id from categories where slug = 'new-top')
    where slug = 'middle'`;
  // A business added later is listed by the tree itself, not by where the earlier one was moved.
  await addBusiness(sql, { category: "bottom" });
  const totals = ["old-top", "new-top", "middle", "bottom"].map(
    async (category) => (await listBusinesses(sql, { category, offset: 0, limit: 1 })).total,
  );
  expect(await Promise.all(totals)).toEqual([0, 2, 2, 2]);
});

test("an import of categories that had to wait sees what changed meanwhile", async () => {
  await importCategories(sql, [{ slug: "own-kind", name: "Own kind" }]);
  await delayedBy(
    sql,
    (operator) => operator`
      update categories set parent_id = null, is_active = false where slug = 'own-kind'`,
    () => importCategories(sql, [{ slug: "own-kind", name: "New name" }]),
  );
  const [found] = await sql`select name, is_active from categories where slug = 'own-kind'`;
  expect(found).toEqual({ name: "New name", is_active: false });
});

for (const [waiter, wait] of [
  [
    "a new category",
    () => sql`insert into categories (slug, name) values ('calm-one', 'Calm one')`,
  ],
  [
    "an import of categories",
    () => importCategories(sql, [{ slug: "calm-two", name: "Calm two" }]),
  ],
  ["a repair", () => repairLists(sql)],
] as [string, () => Promise<unknown>][]) {
  test(`while ${waiter} waits for a transaction that has changed a business, others are changed`, async () => {
    const { id: held } = await addBusiness(sql);
    const { id: free } = await addBusiness(sql);
    await delayedBy(
      sql,
      (holder) => holder`update businesses set is_verified = true where id = ${held}`,
      wait,
      {
        meanwhile: () =>
          sql.begin(async (operator) => {
            await operator`set local lock_timeout = '10s'`;
            await operator`update businesses set status = 'suspended' where id = ${free}`;
          }),
      },
    );
    expect((await checkLists(sql)).faults).toEqual([]);
  });
}

test("a new category fails if the transaction that it waits for comes to wait for its own", async () => {
  const { id } = await addBusiness(sql, { city: "Crossing" });
  const touchCity = (on: Transaction) => on`update cities set name = name where slug = 'crossing'`;
  const outcome = await sql.begin(async (holder) => {
    // It leaves the search for a deadlock to the other.
    await holder`set local deadlock_timeout = '1min'`;
    await holder`update businesses set is_verified = true where id = ${id}`;
    const addition = sql.begin(async (operator) => {
      await operator`set local statement_timeout = '20s'`;
      await touchCity(operator);
      await operator`insert into categories (slug, name) values ('crossing', 'Crossing')`;
    });
    const settled = Promise.allSettled([addition]);
    await untilBlocked(sql);
    await touchCity(holder);
    return (await settled)[0];
  });
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "40P01" } });
});

test("the lock_timeout of a session limits how long its new category waits, and stays what it is", async () => {
  const { id } = await addBusiness(sql);
  const add = (slug: string, lockTimeout: string) =>
    sql.begin(async (operator) => {
      await operator`select set_config('lock_timeout', ${lockTimeout}, true)`;
      await operator`insert into categories (slug, name) values (${slug}, ${slug})`;
      return (await operator`show lock_timeout`)[0];
    });
  await sql.begin(async (holder) => {
    await holder`update businesses set is_verified = true where id = ${id}`;
    await expect(add("hasty-one", "1s")).rejects.toMatchObject({ code: "55P03" });
  });
  // More than the wait is limited to at a time.
  expect(await add("hasty-two", "1min")).toEqual({ lock_timeout: "1min" });
});
