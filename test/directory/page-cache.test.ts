import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ListPage, listBusinesses } from "../../src/directory/listing.ts";
import { createPageCache, type PageCache } from "../../src/directory/page-cache.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { createDatabase, type TestDatabase, until } from "../support.ts";

const BUSINESSES = 240;
const LIMIT = 10;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = database.sql;
  await sql`insert into cities (slug, name) select 'town-' || n, 'Town ' || n from generate_series(1, 4) as n`;
  await sql`insert into categories (slug, name) values ('root-a', 'Root A'), ('root-b', 'Root B')`;
  await sql`
    insert into categories (slug, name, parent_id)
    select 'leaf-' || n, 'Leaf ' || n, id from generate_series(1, 3) as n, categories where slug = 'root-a'`;
  await sql`
    insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count)
    select 'shop-' || n, 'Shop ' || n, (case when n % 9 = 0 then 'pending' else 'approved' end)::business_status,
      (select id from categories where slug = (array['leaf-1', 'leaf-2', 'leaf-3', 'root-b'])[1 + n % 4]),
      (select id from cities where slug = 'town-' || (1 + n * 7 % 4)),
      '1 High Street', 'LS1 6HD', 53.8, -1.5, n % 51 / 10.0, n % 100
    from generate_series(1, ${BUSINESSES}::int) as n`;
});
afterAll(() => database.drop());

interface Kept {
  list: ListPage;
}
let cache: PageCache<Kept>;
beforeEach(async () => {
  cache = await createPageCache<Kept>(sql, { maxBytes: 10_000_000 });
  await until(async () => isHeard(), 2_000);
});
afterEach(() => cache.stop());

/** Whether pages are kept by now: from the first announcement of its own that came back. */
async function isHeard(): Promise<boolean> {
  await cache.findOrMake("probe", async () => ({
    page: { list: await listBusinesses(sql, { offset: 0, limit: 0 }) },
    shows: { kind: "totals" },
    pack: () => 1,
  }));
  return cache.find("probe") !== undefined;
}

interface Question {
  city: string | undefined;
  category: string | undefined;
  offset: number;
}
const filters: Omit<Question, "offset">[] = [undefined, "town-1", "town-2"].flatMap((city) =>
  [undefined, "root-a", "leaf-1", "leaf-2", "root-b"].map((category) => ({ city, category })),
);
const questions: Question[] = filters.flatMap((filter) =>
  [0, 10, 20, 50, 500].map((offset) => ({ ...filter, offset })),
);
const nameOf = (question: Question) => JSON.stringify(question);
const ask = (question: Question) => listBusinesses(sql, { ...question, limit: LIMIT });

function findOrMake(question: Question) {
  return cache.findOrMake(nameOf(question), async () => {
    const list = await ask(question);
    const { scope, extent } = list;
    return { page: { list }, shows: scope && { kind: "list", scope, extent }, pack: () => 1_000 };
  });
}

/** Does something in the database, and waits until the cache has been told. */
async function change(statement: (sql: Sql) => Promise<unknown>): Promise<void> {
  const slug = "shop-1";
  await cache.findOrMake("witness", async () => ({
    page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
    shows: { kind: "business", slug },
    pack: () => 1,
  }));
  await statement(sql);
  // Announcements come in order: when this one has come, so have those before.
  await sql`update businesses set description = description || '.' where slug = ${slug}`;
  await until(async () => cache.find("witness") === undefined, 1_000);
}

const changes: Record<string, (slug: string, sql: Sql) => Promise<unknown>> = {
  "a new description": (slug, sql) =>
    sql`update businesses set short_description = short_description || '!' where slug = ${slug}`,
  "a new rating": (slug, sql) =>
    sql`update businesses set rating = (rating * 10 + 17) % 50 / 10 where slug = ${slug}`,
  "premium, and no longer": (slug, sql) =>
    sql`update businesses set is_premium = not is_premium where slug = ${slug}`,
  "approved, or suspended": (slug, sql) =>
    sql`update businesses set status = (case status when 'approved' then 'suspended' else 'approved' end)::business_status where slug = ${slug}`,
  "another town": (slug, sql) =>
    sql`update businesses set city_id = city_id % 4 + 1 where slug = ${slug}`,
  "another category": (slug, sql) =>
    sql`update businesses set category_id = (select id from categories where slug = 'leaf-2') where slug = ${slug}`,
  "several at once": (slug, sql) =>
    sql`update businesses set rating = 5 - rating where slug like ${`${slug}%`}`,
  "a business deleted": (slug, sql) => sql`delete from businesses where slug = ${slug}`,
};

for (const [index, [title, apply]] of Object.entries(changes).entries()) {
  test(`what is kept is true after each change: ${title}`, async () => {
    let dropped = 0;
    let stayed = 0;
    for (const first of [2, 21, 33, 64, 101]) {
      // Others each time, or one that was suspended is changed to no effect.
      const number = first + index;
      await Promise.all(questions.map(findOrMake));
      await change((sql) => apply(`shop-${number}`, sql));
      for (const question of questions) {
        const kept = cache.find(nameOf(question));
        if (kept) expect(kept.list).toEqual(await ask(question));
        if (kept) stayed += 1;
        else dropped += 1;
      }
    }
    expect(dropped).toBeGreaterThan(0);
    expect(stayed).toBeGreaterThan(0);
  });
}

test("an edit drops the pages that show the business, and no others", async () => {
  const everywhere = await ask({ city: undefined, category: undefined, offset: 20 });
  const [shown] = everywhere.businesses;
  await Promise.all(questions.map(findOrMake));
  await change(
    (sql) => sql`update businesses set phone = '0113 496 0001' where id = ${shown?.id ?? ""}`,
  );
  for (const question of questions) {
    const { businesses } = await ask(question);
    // The witness is edited as well.
    const isShown = businesses.some(({ id, slug }) => id === shown?.id || slug === "shop-1");
    expect(cache.find(nameOf(question)) === undefined).toBe(isShown);
  }
});

test("a renamed town and a moved branch drop everything", async () => {
  for (const statement of [
    (sql: Sql) => sql`update cities set name = 'Newtown' where slug = 'town-1'`,
    (sql: Sql) =>
      sql`update categories set parent_id = (select id from categories where slug = 'root-b') where slug = 'leaf-3'`,
  ]) {
    await Promise.all(questions.map(findOrMake));
    await change(statement);
    expect(questions.filter((question) => cache.find(nameOf(question)))).toEqual([]);
  }
});

test("many that ask for one page at once have it made once", async () => {
  let made = 0;
  const pages = await Promise.all(
    Array.from({ length: 50 }, () =>
      cache.findOrMake("popular", async () => {
        made += 1;
        return {
          page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
          shows: { kind: "totals" },
          pack: () => 1,
        };
      }),
    ),
  );
  expect(made).toBe(1);
  expect(new Set(pages).size).toBe(1);
});

test("a page that was begun before a change was told is given, and not kept", async () => {
  const begun = Promise.withResolvers<void>();
  const asked = cache.findOrMake("slow", async () => {
    const list = await ask({ city: undefined, category: undefined, offset: 0 });
    await begun.promise;
    return { page: { list }, shows: { kind: "totals" }, pack: () => 1 };
  });
  await change((sql) => sql`update businesses set status = 'suspended' where slug = 'shop-7'`);
  begun.resolve();
  await asked;
  expect(cache.find("slow")).toBeUndefined();
});

test("a work that fails fails for all who wait, and is done anew for the next", async () => {
  const failing = () => cache.findOrMake("failing", () => Promise.reject(new Error("away")));
  const all = await Promise.allSettled([failing(), failing()]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await findOrMake({ city: undefined, category: undefined, offset: 0 })).toBeDefined();
});

test("nothing is found while announcements cannot be heard, nor what was kept before", async () => {
  const question = { city: undefined, category: "root-a", offset: 0 };
  await findOrMake(question);
  expect(cache.find(nameOf(question))).toBeDefined();
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'`;
  await until(async () => cache.find(nameOf(question)) === undefined, 1_000);
  await until(async () => {
    await findOrMake(question);
    return cache.find(nameOf(question)) !== undefined;
  }, 3_000);
});

test("what is used least goes first when there is no more room", async () => {
  const small = await createPageCache<{ text: string }>(sql, { maxBytes: 10_000 });
  try {
    const make = (name: string) =>
      small.findOrMake(name, async () => ({
        page: { text: name },
        shows: { kind: "business", slug: name },
        pack: () => 2_000,
      }));
    await until(async () => {
      await make("first");
      return small.find("first") !== undefined;
    }, 2_000);
    for (const name of ["a", "b", "c", "first", "d", "e"]) await make(name);
    expect(["first", "a", "b", "e"].map((name) => small.find(name)?.text)).toEqual([
      "first",
      undefined,
      undefined,
      "e",
    ]);
  } finally {
    await small.stop();
  }
});
