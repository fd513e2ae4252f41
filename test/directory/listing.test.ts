import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { createRandom, type Random } from "../../scripts/generate/random.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { listCategories } from "../../src/directory/categories.ts";
import { startCompaction } from "../../src/directory/compaction.ts";
import { type ListPage, listBusinesses, listPages } from "../../src/directory/listing.ts";
import { COMPACTION_LOCK } from "../../src/store/locks.ts";
import { openPostgres, type Sql, type Transaction } from "../../src/store/postgres.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, delayedBy, logInto, silent, type TestDatabase } from "../support.ts";

const BUSINESSES = 3_000;
const CITIES = 12;

const database = await createDirectory();
const { sql } = database;
afterAll(() => database.drop());

/** A database of its own, whose lists have one chunk each. */
async function createDirectory(): Promise<TestDatabase> {
  const database = await createDatabase();
  const { sql } = database;
  await sql`insert into cities (slug, name) select 'town-' || n, 'Town ' || n from generate_series(1, ${CITIES}::int) as n`;
  await sql`insert into categories (slug, name) values ('root-a', 'Root A'), ('root-b', 'Root B')`;
  await sql`
    insert into categories (slug, name, parent_id)
    select 'branch-' || n, 'Branch ' || n, id from generate_series(1, 4) as n, categories where slug = 'root-a'`;
  await sql`
    insert into categories (slug, name, parent_id)
    select 'leaf-' || n, 'Leaf ' || n, id from generate_series(1, 4) as n, categories where slug = 'branch-1'`;
  await sql`
    insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count, is_premium)
    select 'shop-' || n, 'Shop ' || n, (case when n % 9 = 0 then 'pending' else 'approved' end)::business_status,
      (select id from categories where slug = (array['leaf-1', 'leaf-2', 'branch-2', 'root-b', 'branch-3'])[1 + n % 5]),
      (select id from cities where slug = 'town-' || (1 + n * 7 % ${CITIES})),
      '1 High Street', 'LS1 6HD', 53.8, -1.5,
      case when n % 3 = 0 then 0 else n % 51 / 10.0 end, case when n % 3 = 0 then 0 else n % 100 end, n % 25 = 0
    from generate_series(1, ${BUSINESSES}::int) as n`;
  return database;
}

/** The same list, queried without listings and counts. */
async function plainList(
  sql: Sql,
  city: string | undefined,
  category: string | undefined,
): Promise<string[]> {
  const rows = await sql<{ slug: string }[]>`
    select b.slug from businesses as b
    where b.status = 'approved'
      ${city ? sql`and b.city_id = (select id from cities where slug = ${city})` : sql``}
      ${
        category
          ? sql`and b.category_id in (
              with recursive branch as (
                select id from categories where slug = ${category}
                union all
                select c.id from categories as c join branch on c.parent_id = branch.id)
              select id from branch)`
          : sql``
      }
    order by b.is_premium desc, b.rating desc, b.review_count desc, b.id`;
  return rows.map(({ slug }) => slug);
}

const scopes: [city: string | undefined, category: string | undefined][] = [
  [undefined, undefined],
  ["town-3", undefined],
  [undefined, "root-a"],
  [undefined, "branch-1"],
  [undefined, "leaf-2"],
  [undefined, "root-b"],
  ["town-5", "root-a"],
  ["town-1", "leaf-1"],
];

async function expectEveryPageRight(sql: Sql): Promise<void> {
  for (const [city, category] of scopes) {
    const expected = await plainList(sql, city, category);
    const limit = 20;
    const size = expected.length;
    const half = Math.floor(size / 2);
    const third = Math.floor(size / 3);
    const offsets = [
      0,
      20,
      third,
      half - 1,
      half,
      size - third,
      size - 5,
      size - 1,
      size,
      size + 100,
    ];
    const queries = offsets.map((each) => ({ city, category, offset: Math.max(0, each), limit }));
    const pages = await listPages(sql, queries);
    for (const [index, { offset }] of queries.entries()) {
      const { total, businesses } = pages[index] as ListPage;
      expect({ city, category, offset, total, slugs: businesses.map(({ slug }) => slug) }).toEqual({
        city,
        category,
        offset,
        total: expected.length,
        slugs: expected.slice(offset, offset + limit),
      });
    }
  }
}

describe("lists and totals", () => {
  test("are the same when many pages are read in one statement", async () => {
    const queries = [...scopes, ["town-99", undefined], [undefined, "no slug"]].flatMap(
      ([city, category]) =>
        [0, 40, 10_000].map((offset) => ({ city, category, offset, limit: 20 + offset / 10 })),
    );
    const told = ({ total, businesses, shows }: ListPage) => ({
      total,
      slugs: businesses.map(({ slug }) => slug),
      scope: shows?.scope,
      extent: shows?.extent,
    });
    const together = await listPages(sql, queries);
    const alone = await Promise.all(queries.map((query) => listBusinesses(sql, query)));
    expect(together.map(told)).toEqual(alone.map(told));
    expect(together.at(-1)).toEqual({ total: 0, businesses: [], shows: null });
  });

  test("are the same where PostgreSQL reads no null in an array", async () => {
    await using plain = openPostgres(database.url, { max: 1 });
    await plain`set array_nulls = off`;
    for (const filter of [{}, { city: "town-1" }, { category: "root-a" }]) {
      const query = { ...filter, offset: 0, limit: 5 };
      const { total, businesses } = await listBusinesses(sql, query);
      expect(total).toBeGreaterThan(0);
      expect(await listBusinesses(plain, query)).toMatchObject({ total, businesses });
    }
  });

  test("an inactive category gives an empty list, and so does one below it", async () => {
    await sql`
      insert into categories (slug, name, parent_id)
      select 'drain-menders', 'Drain menders', id from categories where slug = 'plumbers'`;
    for (const category of ["plumbers", "drain-menders", "florists"]) {
      await addBusiness(sql, { category });
    }
    const totals = () =>
      Promise.all(
        ["building-trades", "plumbers", "drain-menders", "florists"].map(async (category) => {
          const page = await listBusinesses(sql, { category, offset: 0, limit: 1 });
          expect(page.businesses.length).toBe(page.total > 0 ? 1 : 0);
          expect(page.shows === null).toBe(page.total === 0);
          return page.total;
        }),
      );
    const setActive = (slug: string, isActive: boolean) =>
      sql`update categories set is_active = ${isActive} where slug = ${slug}`;
    expect(await totals()).toEqual([2, 2, 1, 1]);
    await setActive("drain-menders", false);
    expect(await totals()).toEqual([2, 2, 0, 1]);
    await setActive("drain-menders", true);
    await setActive("building-trades", false);
    expect(await totals()).toEqual([0, 0, 0, 1]);
    await setActive("building-trades", true);
    expect(await totals()).toEqual([2, 2, 1, 1]);
  });

  test("match a plain query before, during and after a large chunk is split step by step", async () => {
    await using own = await createDirectory();
    const { sql } = own;
    await expectEveryPageRight(sql);
    let steps = 0;
    const compactStep = async () => {
      const [row] = await sql<
        [{ again: boolean }]
      >`select compact_listing_counts(32, 500) as again`;
      return row.again;
    };
    while (await compactStep()) if (++steps % 10 === 0) await expectEveryPageRight(sql);
    expect(steps).toBeGreaterThan(20);
    const [{ chunks }] = await sql<[{ chunks: number }]>`
      select count(*)::int as chunks from listing_counts where category_id = 0 and city_id = 0`;
    expect(chunks).toBeGreaterThan(50);
    await expectEveryPageRight(sql);
  });

  test("stay exact through thousands of concurrent random changes, with folding in between", async () => {
    // A few, or more than are listed one way.
    const someSlugs = ({ chance, between }: Random) =>
      Array.from({ length: chance(0.5) ? 5 : 25 }, () => `shop-${between(1, BUSINESSES)}`);
    const categorySlugs = ["leaf-1", "leaf-2", "leaf-3", "branch-2", "root-b"];
    const changes: ((slugs: string[], random: Random) => Promise<unknown>)[] = [
      (slugs) => sql`update businesses set status = 'suspended' where slug = any(${slugs})`,
      (slugs) => sql`update businesses set status = 'approved' where slug = any(${slugs})`,
      (slugs, { between, chance }) =>
        sql`update businesses set rating = ${between(0, 50) / 10}, is_premium = ${chance(1 / 9)} where slug = any(${slugs})`,
      (slugs, { between }) =>
        sql`update businesses set city_id = (select id from cities where slug = ${`town-${between(1, CITIES)}`}) where slug = any(${slugs})`,
      (slugs, { pick }) =>
        sql`update businesses set category_id = (select id from categories where slug = ${pick(categorySlugs)}) where slug = any(${slugs})`,
      (slugs) => sql`delete from businesses where slug = any(${slugs.slice(0, 1)})`,
      (slugs, { between }) => sql`
        insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count)
        select slug || '-' || substr(gen_random_uuid()::text, 1, 8), name, 'approved', category_id, ${between(1, CITIES)}::int, address_line1,
          postcode, latitude, longitude, ${between(0, 50) / 10}, review_count
        from businesses where slug = any(${slugs})`,
      () => sql`select compact_listing_counts(64)`,
      (_, { between }) =>
        sql`update categories set parent_id = (select id from categories where slug = ${`branch-${between(1, 4)}`}) where slug = ${`leaf-${between(1, 4)}`}`,
      (slugs) =>
        sql.begin(async (transaction) => {
          await transaction`update businesses set status = 'suspended' where slug = any(${slugs.slice(0, 3)})`;
          throw new Rollback();
        }),
    ];
    // Each makes the same changes every time; only their interleaving varies.
    const worker = async (_: unknown, seed: number) => {
      const random = createRandom(seed);
      for (let turn = 0; turn < 60; turn++) {
        await random
          .pick(changes)(someSlugs(random), random)
          .catch((error) => {
            // Two of them may lock the same rows in a different order: PostgreSQL aborts one as a deadlock.
            if (!(error instanceof Rollback) && error.code !== "40P01") throw error;
          });
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    await expectEveryPageRight(sql);
    await sql`select compact_listing_counts(64)`;
    await expectEveryPageRight(sql);
  }, 60_000);

  test("thousands of rows in one statement count into lists of one chunk and of many", async () => {
    const load = (on: Sql | Transaction, name: string) => on`
      insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count, is_premium)
      select slug || ${name}::text, name, (case when review_count % 4 = 1 then 'pending' else 'approved' end)::business_status,
        category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count, is_premium
      from businesses where slug ~ '^shop-\\d+$' and category_id is not null and city_id is not null`;
    const loadAndRollBack = async () => {
      const loading = sql.begin(async (transaction) => {
        await load(transaction, "-c");
        throw new Rollback();
      });
      expect(await loading.catch((error) => error)).toBeInstanceOf(Rollback);
    };
    const fold = () => sql`select compact_listing_counts(64)`;
    await fold();
    await addBusiness(sql, { slug: "shop-0", category: "root-b", city: "Hamlet" });
    await Promise.all([load(sql, "-a"), fold(), loadAndRollBack(), load(sql, "-b"), fold()]);
    const loaded = await sql`
      select distinct b.status, exists (select from search_changes where business_id = b.id) as is_to_index
      from businesses as b where slug ~ '-[abc]$' order by b.status`;
    expect([...loaded]).toEqual([
      { status: "pending", is_to_index: false },
      { status: "approved", is_to_index: true },
    ]);
    await expectEveryPageRight(sql);
    const [{ whole, split }] = await sql<[{ whole: number; split: number }]>`
      select count(*) filter (where chunks = 1)::int as whole, count(*) filter (where chunks > 1)::int as split
      from (
        select count(distinct (from_rank, from_id)) as chunks from listing_counts group by category_id, city_id
      ) as scopes`;
    expect([whole > 0, split > 0]).toEqual([true, true]);
  });

  test("each chunk counts exactly the listings between its border and the next, also when what it began with goes and comes back", async () => {
    const expectChunksRight = async () => {
      const wrong = await sql`
        with chunks as (
          select category_id, city_id, from_rank, from_id, sum(change) as counted,
            lead(from_rank) over scope as next_rank, lead(from_id) over scope as next_id
          from listing_counts
          group by category_id, city_id, from_rank, from_id
          window scope as (partition by category_id, city_id order by from_rank, from_id)
        )
        select * from chunks as c
        where counted <> (
          select count(*) from listings as l
          where l.category_id = c.category_id and (c.city_id = 0 or l.city_id = c.city_id)
            and (l.list_rank, l.business_id) >= (c.from_rank, c.from_id)
            and (c.next_rank is null or (l.list_rank, l.business_id) < (c.next_rank, c.next_id)))`;
      expect([...wrong]).toEqual([]);
    };
    await expectChunksRight();
    await sql`select compact_listing_counts(64)`;
    // A few, or more than are listed one way.
    for (const count of [5, 500]) {
      const removed = await sql`
        delete from businesses
        where id in (select distinct from_id from listing_counts order by from_id desc limit ${count})
        returning id, slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating, review_count, is_premium`;
      await expectChunksRight();
      await sql`insert into businesses ${sql(removed)}`;
      await expectChunksRight();
    }
  });

  test("nothing is left of the counts of lists that have become empty", async () => {
    await using own = await createDatabase();
    await addBusiness(own.sql);
    await own.sql`select compact_listing_counts()`;
    await own.sql`delete from businesses`;
    await own.sql`select compact_listing_counts()`;
    expect(await own.sql<object[]>`select from listing_counts`).toHaveLength(0);
  });

  test("each border of a list but the first is one folded row", async () => {
    await sql`select compact_listing_counts(64)`;
    await sql`update businesses set rating = 1 where review_count = 3`;
    const [{ chunks, wrong }] = await sql<[{ chunks: number; wrong: number }]>`
      select count(*)::int as chunks, count(*) filter (where folded <> 1)::int as wrong
      from (
        select count(*) filter (where is_folded) as folded from listing_counts
        where (from_rank, from_id) > (0, '00000000-0000-0000-0000-000000000000')
        group by category_id, city_id, from_rank, from_id) as borders`;
    expect(wrong).toBe(0);
    expect(chunks).toBeGreaterThan(50);
  });

  test("category counts equal the totals of the lists filtered by them", async () => {
    const categories = await listCategories(sql);
    for (const { slug, businessCount } of categories) {
      const { total } = await listBusinesses(sql, { category: slug, offset: 0, limit: 1 });
      expect([slug, businessCount]).toEqual([slug, total]);
    }
    const used = categories.filter(({ businessCount }) => businessCount > 0);
    expect(used.length).toBeGreaterThan(3);
  });

  test("a page at any depth reads no more index entries than a chunk holds", async () => {
    await sql`select compact_listing_counts(256)`;
    const [{ largest }] = await sql<[{ largest: number }]>`
      select max(size)::int as largest from (
        select sum(change) as size from listing_counts group by category_id, city_id, from_rank, from_id) as sizes`;
    expect(largest).toBeLessThanOrEqual(256);

    // Moved rows leave dead index entries behind until a vacuum.
    await sql`vacuum listings`;
    // Prepared, as in the server.
    const connection = openPostgres(database.url, { max: 1, keepsPlans: true });
    const entriesRead = async () => {
      await connection`select pg_stat_force_next_flush()`;
      const [{ entries }] = await connection<[{ entries: number }]>`
        select (seq_tup_read + sum(idx_tup_read))::int as entries
        from pg_stat_user_tables join pg_stat_user_indexes using (relid)
        where pg_stat_user_tables.relname = 'listings' group by seq_tup_read`;
      return entries;
    };
    const limit = 20;
    for (const [city, category] of scopes) {
      const { total } = await listBusinesses(connection, { city, category, offset: 0, limit });
      for (let part = 0; part < 16; part++) {
        const offset = Math.floor((total * part) / 16);
        const before = await entriesRead();
        const { businesses } = await listBusinesses(connection, { city, category, offset, limit });
        const entries = (await entriesRead()) - before;
        const where = JSON.stringify({ city, category, offset });
        expect(entries, where).toBeGreaterThanOrEqual(businesses.length);
        expect(entries, where).toBeLessThan(largest + limit);
      }
    }
    await connection.end();
  });
});

describe("the database guards the directory", () => {
  test("a category cannot become its own ancestor", async () => {
    const move = sql`
      update categories set parent_id = (select id from categories where slug = 'leaf-1') where slug = 'root-a'`;
    await expect(move.execute()).rejects.toThrow("its own ancestor");
  });

  test("changing listings is refused in a transaction with an older snapshot", async () => {
    for (const change of [
      "update categories set parent_id = null where slug = 'leaf-1'",
      "select compact_listing_counts()",
      "update businesses set rating = 1",
    ]) {
      const attempt = sql.begin("isolation level repeatable read", (transaction) =>
        transaction.unsafe(change),
      );
      await expect(attempt).rejects.toThrow("read committed");
    }
  });

  test("businesses cannot be truncated behind the back of lists and totals", async () => {
    await expect(sql`truncate businesses`.execute()).rejects.toThrow("do not truncate");
  });

  test("a chunk that writers block from being split is split when they are done", async () => {
    await sql`update businesses set rating = 2 where status = 'approved'`;
    const compact = async (on: Sql) => {
      const [row] = await on<[{ again: boolean }]>`select compact_listing_counts(32) as again`;
      return row.again;
    };
    await sql.begin(async (writer) => {
      await writer`update businesses set rating = 3 where slug = (select max(slug) from businesses where status = 'approved')`;
      expect(await compact(sql)).toBe(true);
    });
    expect(await compact(sql)).toBe(false);
  });

  test("a step reports a chunk that it leaves too large, also when it is the last", async () => {
    await using own = await createDatabase();
    const { sql } = own;
    await sql`insert into cities (slug, name) values ('leeds', 'Leeds')`;
    await sql`insert into categories (slug, name) values ('crafts', 'Crafts')`;
    await sql`
      insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
      select 'forge-' || n, 'Forge', 'approved', categories.id, cities.id, '1 High Street', 'LS1 6HD', 53.8, -1.5
      from categories, cities, generate_series(1, 100) as n where categories.slug = 'crafts'`;
    // Four lists of one chunk each: whichever comes last, half of it is left over.
    const [{ again }] = await sql<[{ again: boolean }]>`
      select compact_listing_counts(4, 351) as again`;
    expect(again).toBe(true);
    await sql`select compact_listing_counts(4)`;
    expect((await sql`select from uneven_chunks(4)`).length).toBe(0);
  });

  test("a server splits the chunks that an earlier one has left too large", async () => {
    await using own = await createDirectory();
    const { sql } = own;
    // Without a new change that would make it look for them.
    await sql`select fold_listing_counts()`;
    const uneven = async () => (await sql`select from uneven_chunks(null)`).length;
    expect(await uneven()).toBeGreaterThan(0);
    const compaction = startCompaction(sql, silent, OFTEN);
    await until(async () => (await uneven()) === 0, 10_000);
    await compaction.stop();
  });

  test("a server also splits chunks that grow while it runs, and those that it could not split at first", async () => {
    await using own = await createDirectory();
    const { sql } = own;
    const uneven = async () => (await sql`select from uneven_chunks(null)`).length;
    const unfolded = async () => (await sql`select from listing_counts where not is_folded`).length;
    const now = performance.now.bind(performance);
    let skippedMs = 0;
    using _ = spyOn(performance, "now").mockImplementation(() => now() + skippedMs);
    const told: string[] = [];
    const log = logInto(told, "msg");

    // Without a new change that would make it look for them.
    await sql`select fold_listing_counts()`;
    await sql`alter function cut_chunk rename to gone`;
    const compaction = startCompaction(sql, log, OFTEN);
    await until(() => compaction.isFailing(), 10_000);
    await sql`alter function gone rename to cut_chunk`;
    // Chunks are looked for every 20 seconds.
    skippedMs += 20_000;
    await until(() => !compaction.isFailing(), 10_000);
    expect(told).toEqual([
      "cannot fold list totals; will keep retrying",
      "list totals are folded again",
    ]);
    await until(async () => (await uneven()) === 0, 10_000);

    await sql`update businesses set rating = 2 where status = 'approved'`;
    await until(async () => (await unfolded()) === 0, 10_000);
    skippedMs += 20_000;
    await until(async () => (await uneven()) === 0, 10_000);
    await compaction.stop();
  }, 60_000);

  test("folding fails until a server has folded, not only found that somebody else is at it", async () => {
    await using own = await createDirectory();
    const { sql } = own;
    const now = performance.now.bind(performance);
    let skippedMs = 0;
    using _ = spyOn(performance, "now").mockImplementation(() => now() + skippedMs);
    const told: string[] = [];
    let steps = 0;
    const counting = new Proxy(sql, {
      apply(target, self, given) {
        steps += 1;
        return Reflect.apply(target, self, given);
      },
    });
    /** The one that is under way may have begun before. */
    const twoSteps = async () => {
      const before = steps;
      await until(() => steps > before + 2, 10_000);
    };

    const compaction = startCompaction(counting, logInto(told, "msg"), OFTEN);
    await until(async () => (await sql`select from uneven_chunks(null)`).length === 0, 10_000);
    await sql`alter function fold_listing_counts rename to gone`;
    await sql`update businesses set status = 'suspended' where slug = 'shop-1'`;
    await until(() => compaction.isFailing(), 10_000);
    await sql.begin(async (other) => {
      await other`select pg_advisory_xact_lock(${COMPACTION_LOCK})`;
      await sql`alter function gone rename to fold_listing_counts`;
      await twoSteps();
      expect(compaction.isFailing()).toBe(true);
      // Chunks are looked for every 20 seconds.
      skippedMs += 20_000;
      await twoSteps();
      expect(compaction.isFailing()).toBe(true);
    });
    await until(() => !compaction.isFailing(), 10_000);
    expect(told).toEqual([
      "cannot fold list totals; will keep retrying",
      "list totals are folded again",
    ]);
    await compaction.stop();
  }, 60_000);

  test("a count that is too high blocks neither other chunks from being split nor changes from being folded", async () => {
    await using own = await createDirectory();
    const { sql } = own;
    // As after a restore, with triggers, of data that have been counted already.
    await sql`
      insert into listing_counts (category_id, city_id, from_rank, from_id, change, is_folded)
      select category_id, city_id, 0, '00000000-0000-0000-0000-000000000000', 100000, true
      from listings limit 1`;
    const sizes = () => sql<{ total: number; largest: number }[]>`
      select category_id, city_id, sum(size)::integer as total, max(size)::integer as largest
      from (
        select category_id, city_id, sum(change) as size
        from listing_counts group by category_id, city_id, from_rank, from_id
      ) as chunks
      group by 1, 2 order by 1, 2`;
    const before = await sizes();
    // More keys than there are to split, and fewer than that count claims.
    const [{ again }] = await sql<[{ again: boolean }]>`
      select compact_listing_counts(64, 80000) as again`;
    expect(again).toBe(false);
    const after = await sizes();
    expect(after.map(({ total }) => total)).toEqual(before.map(({ total }) => total));
    expect(after.filter(({ largest }) => largest > 64)).toHaveLength(1);

    // Any other failure to split chunks.
    await sql`drop function cut_chunk`;
    await sql`update businesses set status = 'suspended' where slug = 'shop-1'`;
    const compaction = startCompaction(sql, silent, OFTEN);
    await until(() => compaction.isFailing(), 10_000);
    const unfolded = () => sql`select from listing_counts where not is_folded`;
    for (const status of ["approved", "suspended"]) {
      await until(async () => (await unfolded()).length === 0, 10_000);
      // Still failing, also when it has been folded once more.
      await sql`update businesses set status = ${status}::business_status where slug = 'shop-1'`;
    }
    await until(async () => (await unfolded()).length === 0, 10_000);
    expect(compaction.isFailing()).toBe(true);
    await compaction.stop();
  }, 60_000);

  test("a business needs a category and a city that exist", async () => {
    for (const column of ["category_id", "city_id"]) {
      const insert = sql`insert into businesses ${sql({ slug: "lost-shop", name: "Lost", [column]: 999_999 })}`;
      await expect(insert.execute()).rejects.toThrow("that exists");
      const several = [1, 999_999].map((id) => ({
        slug: `lost-${id}`,
        name: "Lost",
        [column]: id,
      }));
      await expect(sql`insert into businesses ${sql(several)}`.execute()).rejects.toThrow(
        "that exists",
      );
      const move = sql`update businesses set ${sql({ [column]: 999_999 })} where slug = (select min(slug) from businesses)`;
      await expect(move.execute()).rejects.toThrow("that exists");
    }
  });

  test("a category and a city that have businesses cannot be deleted, nor can the city have another id", async () => {
    const categories = sql`delete from categories where slug = 'root-b'`;
    await expect(categories.execute()).rejects.toThrow("there are businesses of root-b");
    const cities = sql`delete from cities where slug = 'town-3'`;
    await expect(cities.execute()).rejects.toThrow("there are businesses of town-3");
    const renumber = sql`update cities set id = default where slug = 'town-3'`;
    await expect(renumber.execute()).rejects.toThrow("there are businesses of town-3");
  });

  test("of concurrently adding a business and deleting its city, only one succeeds", async () => {
    const [city] = await sql<[{ id: number }]>`
      insert into cities (slug, name) values ('brief-town', 'Brief Town') returning id`;
    const remove = (on: Sql | Transaction) => on`delete from cities where id = ${city.id}`;
    const add = (on: Sql | Transaction) =>
      on`insert into businesses (slug, name, city_id) values ('brief-shop', 'Brief', ${city.id})`;

    const removing = delayedBy(sql, add, () => remove(sql));
    await expect(removing).rejects.toThrow("there are businesses of brief-town");
    await sql`delete from businesses where slug = 'brief-shop'`;
    const adding = delayedBy(sql, remove, () => add(sql));
    await expect(adding).rejects.toThrow("a city that exists");
  });

  test("the id and the slug of a business never change", async () => {
    const rename = sql`update businesses set slug = 'another' where slug = (select min(slug) from businesses)`;
    await expect(rename.execute()).rejects.toThrow("never change");
    const renumber = sql`update businesses set id = uuidv7() where slug = (select min(slug) from businesses)`;
    await expect(renumber.execute()).rejects.toThrow("never change");
  });

  test("two businesses never have one slug", async () => {
    const copy = sql`insert into businesses (slug, name) select slug, name from businesses limit 1`;
    await expect(copy.execute()).rejects.toThrow("businesses_slug_key");
  });

  for (const [what, column, value] of [
    ["a status that is none", "status", "closed"],
    ["a slug with capitals", "slug", "Not-A-Slug"],
    ["a blank name", "name", " "],
    ["a postcode of another form", "postcode", "12345"],
    ["a rating above five", "rating", 5.1],
    ["a negative review count", "review_count", -1],
    ["a website that is no http address", "website", "javascript:alert(1)"],
    [
      "two cover photos",
      "photos",
      [1, 2].map((number) => ({
        url: `https://images.example/${number}`,
        caption: "",
        isCover: true,
      })),
    ],
    ["a photo without an address", "photos", [{ caption: "", isCover: true }]],
    ["a photo that is no web address", "photos", [photo({ url: "ftp://images.example/1" })]],
    ["a photo whose caption is no text", "photos", [photo({ caption: null })]],
    ["a photo that is perhaps the cover", "photos", [photo({ isCover: "perhaps" })]],
    ["photos that are no list", "photos", photo({})],
    ["a list within the list of photos", "photos", [[photo({})]]],
  ] as const) {
    test(`it refuses ${what}`, async () => {
      const given = typeof value === "object" ? sql.json(value as never) : value;
      const insert = sql`insert into businesses ${sql({ slug: "refused-shop", name: "Refused", [column]: given })}`;
      // By a check, by the type of the column, or since no rank can be computed for its list.
      const code = expect.stringMatching(/^(23514|22P02|22003)$/);
      await expect(insert.execute()).rejects.toMatchObject({ code });
      const [{ kept }] = await sql<
        [{ kept: number }]
      >`select count(*)::int as kept from businesses where name = 'Refused'`;
      expect(kept).toBe(0);
    });
  }
});

test("the database accepts valid photos", async () => {
  const row = {
    slug: "accepted-shop",
    name: "Accepted",
    photos: sql.json([photo({}), photo({ isCover: false, url: "http://images.example/2" })]),
  };
  const inserted = await sql`insert into businesses ${sql(row)} returning slug`;
  expect(inserted.length).toBe(1);
});

test("a statement of thousands of rows does not reuse the plan of single-row ones before it", async () => {
  await using own = await createDatabase();
  const { sql } = own;
  await sql`insert into cities (slug, name) values ('leeds', 'Leeds')`;
  const connection = await sql.reserve();
  const insert = (from: number, to: number) => connection`
    insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
    select 'pub-' || n, 'Pub', 'approved', categories.id, cities.id, '1 High Street', 'LS1 6HD', 53.8, -1.5
    from categories, cities, generate_series(${from}::int, ${to}::int) as n
    where categories.slug = 'pubs'`;
  const rate = (least: string) =>
    connection`update businesses set review_count = review_count + 1 where slug >= ${least}`;
  // With a nested loop they take longer, and otherwise about a second.
  await connection`set statement_timeout = '10s'`;
  for (let number = 1; number <= 3; number++) await insert(number, number);
  for (let turn = 0; turn < 7; turn++) await rate("pub-3");
  await insert(4, 12_000);
  await rate("pub");
  // Nor does one of a single row reuse the plan for a small table: it finds its rows by an index.
  const tablesRead = async () => {
    const [{ scans }] = await connection<[{ scans: number }]>`
      select sum(seq_scan)::int as scans from pg_stat_xact_user_tables
      where relname in ('listings', 'listing_counts', 'category_ancestors')`;
    return scans;
  };
  await connection`begin`;
  const readBefore = await tablesRead();
  await rate("pub-9999");
  expect((await tablesRead()) - readBefore).toBe(0);
  await connection`commit`;
  connection.release();
  expect((await listBusinesses(sql, { offset: 0, limit: 1 })).total).toBe(12_000);
}, 60_000);

function photo(given: object) {
  return { url: "https://images.example/1", caption: "", isCover: true, ...given };
}

const OFTEN = { intervalMs: 50 };

class Rollback extends Error {}
