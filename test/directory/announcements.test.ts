import { afterAll, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { followAnnouncements } from "../../src/directory/announcements.ts";
import { compactListings } from "../../src/directory/compaction.ts";
import { importCategories } from "../../src/directory/import/categories.ts";
import { importRecords } from "../../src/directory/import.ts";
import { openPostgres, type Sql } from "../../src/store/postgres.ts";
import { isPostgresAway } from "../../src/store/postgres-errors.ts";
import { addBusiness } from "../fixtures.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, delayedBy, silent } from "../support.ts";

// What one transaction announces, or completes, while another is running.

const database = await createDatabase();
const { sql } = database;
afterAll(() => database.drop());

test("a change that waited for the move of its category announces where the business is now", async () => {
  const [row] = await sql<[{ id: number; oldRoot: number; newRoot: number }]>`
    with root as (
      insert into categories (slug, name) values ('old-root', 'Old'), ('new-root', 'New')
      returning id, slug
    )
    insert into categories (slug, name, parent_id)
    select 'moving', 'Moving', id from root where slug = 'old-root'
    returning id, parent_id as "oldRoot", (select id from root where slug = 'new-root') as "newRoot"`;
  const { slug } = await addBusiness(sql, { category: "moving" });
  const payloads: string[] = [];
  const { unlisten } = await sql.listen("directory_pages", (payload) => {
    payloads.push(payload);
  });

  await delayedBy(
    sql,
    (move) => move`update categories set parent_id = ${row.newRoot} where id = ${row.id}`,
    () => sql`update businesses set rating = 3.5 where slug = ${slug}`,
  );
  await until(() => payloads.some((payload) => payload.includes(slug)), 5_000);
  const [[, , before, after]] = JSON.parse(
    payloads.find((payload) => payload.includes(slug)) as string,
  );
  for (const [, , ...categories] of [before, after]) {
    expect(categories).toContain(row.newRoot);
    expect(categories).not.toContain(row.oldRoot);
  }
  await unlisten();
});

/** Adds `count` businesses in one statement. */
const addMany = (on: Sql, count: number, category: string, slugLength = 0) => on`
  insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
  select rpad(${category} || '-' || n || '-', ${slugLength}::int, 'x'), 'Shop', 'approved', c.id,
    (select min(id) from cities), '1 Briggate', 'LS1 6HD', 53.8, -1.5
  from generate_series(1000, 999 + ${count}::int) as n, categories as c where c.slug = ${category}`;

/** What a statement announces. */
async function announced(statement: () => Promise<unknown>): Promise<string[]> {
  const payloads: string[] = [];
  const { unlisten } = await sql.listen("directory_pages", (payload) => {
    payloads.push(payload);
  });
  await statement();
  await sql.notify("directory_pages", "end");
  await until(() => payloads.includes("end"), 5_000);
  await unlisten();
  return payloads.slice(0, payloads.indexOf("end"));
}

test("each of 500 changes in one statement is announced, and more than that as 'anything may have changed'", async () => {
  await addBusiness(sql, {});
  for (const [count, category] of [
    [500, "plumbers"],
    [501, "roofers"],
  ] as const) {
    const changed = (payloads: string[]) =>
      payloads.includes("*") ? payloads : payloads.flatMap((payload) => JSON.parse(payload)).length;
    const expected = count > 500 ? ["*"] : count;
    const ofCategory = sql`category_id = (select id from categories where slug = ${category})
      and name = 'Shop'`;
    const added = await announced(() => addMany(sql, count, category, 30));
    const edited = await announced(
      () => sql`update businesses set description = 'New.' where ${ofCategory}`,
    );
    const deleted = await announced(() => sql`delete from businesses where ${ofCategory}`);
    expect([added, edited, deleted].map(changed)).toEqual([expected, expected, expected]);
  }
});

test("an import of categories that changes none announces nothing", async () => {
  const records = [
    { slug: "kites", name: "Kites" },
    { slug: "box-kites", name: "Box kites", parent: "kites" },
  ];
  const importAgain = () => announced(() => importCategories(sql, records));
  expect(await importAgain()).toContain("*");
  expect(await importAgain()).toEqual([]);
});

test("the changes of a transaction are announced together, however many statements it has", async () => {
  const { slug } = await addBusiness(sql, {});
  const other = await addBusiness(sql, {});
  const told: string[][] = [];
  const announcements = await followAnnouncements(sql, silent, (changes) => {
    if (changes !== "everything") told.push(changes.map((change) => change.slug));
  });
  await sql.begin(async (transaction) => {
    await transaction`update businesses set rating = 4.5 where slug = ${slug}`;
    await transaction`update businesses set status = 'suspended' where slug = ${other.slug}`;
    await transaction`delete from businesses where slug = ${slug}`;
  });
  await until(() => told.length > 0, 5_000);
  expect(told).toEqual([[slug, other.slug, slug]]);
  await announcements.stop();
});

test("more changes than can be kept are announced as 'anything may have changed'", async () => {
  await addBusiness(sql, {});
  await addMany(sql, 500, "plasterers", 30);
  const told: unknown[] = [];
  const announcements = await followAnnouncements(sql, silent, (changes) => told.push(changes));
  expect(told.splice(0)).toEqual(["everything"]);
  await sql.begin(async (transaction) => {
    for (let reviews = 1; reviews <= 22; reviews++) {
      await transaction`
        update businesses set review_count = ${reviews} where slug like 'plasterers-%'`;
    }
  });
  await until(() => told.length > 0, 5_000);
  expect(told).toEqual(["everything"]);
  await announcements.stop();
});

test("an unreadable announcement may mean anything, so everything known is dropped", async () => {
  const told: unknown[] = [];
  const announcements = await followAnnouncements(sql, silent, (changes) => told.push(changes));
  expect(told.splice(0)).toEqual(["everything"]);
  for (const payload of ["a word", '{"slug":"of another version"}', "[null]"]) {
    await sql.notify("directory_pages", payload);
    await until(() => told.length > 0, 5_000);
    expect([payload, ...told.splice(0)]).toEqual([payload, "everything"]);
  }
  await announcements.stop();
});

test("following announcements while PostgreSQL goes away fails with an error that says so", async () => {
  const proxy = await openProxy(new URL(database.url));
  const away = openPostgres(proxy.url);
  away.options.debug = (_connection, query) => {
    if (query.includes("pg_notify")) proxy.cut();
  };
  const error = await followAnnouncements(away, silent, () => {}).catch((error) => error);
  expect(isPostgresAway(error)).toBe(true);
  await proxy.mend();
  await away.end({ timeout: 1 });
  await proxy.close();
});

test("changes that are too long to announce are made all the same", async () => {
  await addBusiness(sql, {});
  await sql`insert into categories (slug, name) values ('deep-1', 'Deep')`;
  for (let depth = 2; depth <= 30; depth++) {
    await sql`
      insert into categories (slug, name, parent_id)
      select ${`deep-${depth}`}, 'Deep', id from categories where slug = ${`deep-${depth - 1}`}`;
  }
  await addMany(sql, 20, "deep-30", 119);
  const payloads = await announced(
    () => sql`update businesses set rating = 4 where slug like 'deep-30-%'`,
  );
  expect(payloads).toEqual(["*"]);
});

const many = () =>
  Array.from({ length: 400 }, (_, number) => ({
    sourceId: `${number}`,
    name: `Shop ${number}`,
    category: "plumbers",
    city: "Leeds",
    address: { line1: "1 Briggate", postcode: "LS1 6HD" },
    coordinates: { lat: 53.8, lng: -1.5 },
  }));

test("an import completes although another transaction keeps its totals from being folded", async () => {
  await sql.begin(async (other) => {
    await other`update businesses set rating = 4 where slug = (select min(slug) from businesses)`;
    const counts = await importRecords(sql, many(), { source: "held-up" });
    expect(counts.created).toBe(400);
  });
  const sizes = () => sql<{ size: number }[]>`select * from uneven_chunks(null)`;
  // Enough for a chunk that has to be split, which the lock prevented meanwhile.
  expect((await sizes()).length).toBeGreaterThan(0);
  await compactListings(sql);
  expect((await sizes()).length).toBe(0);
}, 40_000);

test("an import whose clean-up fails has not failed", async () => {
  await sql`alter function fold_listing_counts() rename to gone`;
  try {
    const faults: unknown[] = [];
    const counts = await importRecords(sql, many().slice(0, 3), {
      source: "unsettled",
      onUnsettled: (error) => faults.push(error),
    });
    expect(counts.created).toBe(3);
    expect(faults).toEqual([expect.objectContaining({ message: expect.stringContaining("fold") })]);
  } finally {
    await sql`alter function gone() rename to fold_listing_counts`;
  }
  const [row] = await sql`select count(*)::int from businesses where source = 'unsettled'`;
  expect(row?.count).toBe(3);
});
