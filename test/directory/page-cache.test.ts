import { afterAll, afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import pino from "pino";
import { createRandom } from "../../scripts/generate/random.ts";
import { until } from "../../scripts/stack/waiting.ts";
import {
  keptPages,
  LostPageError,
  type PageFile,
  type Stored,
} from "../../src/directory/kept-pages.ts";
import { type ListPage, listBusinesses, listPages } from "../../src/directory/listing.ts";
import { createPageCache, type Packing, type PageCache } from "../../src/directory/page-cache.ts";
import { RingFile } from "../../src/directory/ring-file.ts";
import { keyedListItem, openListItem } from "../../src/directory/shapes.ts";
import { openPostgres, type Sql, type Transaction } from "../../src/store/postgres.ts";
import { createDatabase, keptFiles, logInto } from "../support.ts";

const BUSINESSES = 240;
const LIMIT = 10;

const database = await createDatabase();
const { sql } = database;
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
afterAll(() => database.drop());

interface Kept {
  list: ListPage;
}
const lists: Packing<Kept, null> = {
  pack: (page) => ({ bytes: encode(page), tag: `${page.list.total}`, rest: null }),
  unpack: (stored) => decode(stored.bytes()) as Kept,
  grow(stored, _rest, growth) {
    const { list } = decode(stored.bytes()) as Kept;
    return { list: { ...list, total: list.total + growth } };
  },
};
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

let file: PageFile;
let cache: PageCache<Kept>;
const faults: unknown[] = [];
beforeEach(async () => {
  file = new RingFile(tmpdir(), { size: 10_000_000, mostNames: 1_000 });
  cache = await createPageCache(sql, file, logInto(faults, "err"), lists);
  await until(async () => isHeard(), 2_000);
});
afterEach(async () => {
  await cache.stop();
  file.close();
  expect(faults.splice(0)).toEqual([]);
});

/** Whether pages are cached yet: they are once the cache has heard the first of its own announcements. */
async function isHeard(): Promise<boolean> {
  await cache.findOrMake("probe", async () => ({
    page: { list: await listBusinesses(sql, { offset: 0, limit: 0 }) },
    shows: { kind: "totals" },
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

/** Each question with its answer of now: all in one statement, which takes far less time than one each. */
async function askAll(asked: readonly Question[]): Promise<[Question, ListPage][]> {
  const pages = await listPages(
    sql,
    asked.map((question) => ({ ...question, limit: LIMIT })),
  );
  return asked.map((question, index) => [question, pages[index] as ListPage]);
}

function findOrMake(question: Question) {
  return cache.findOrMake(nameOf(question), async () => {
    const list = await ask(question);
    return { page: { list }, shows: list.shows };
  });
}

const shownOn = ({ total, businesses }: ListPage) => ({
  total,
  businesses: businesses.map((business) => ({
    ...openListItem(business),
    ...keyedListItem(business),
  })),
});

/** The business edited last, whose announcement shows that those before it have arrived. */
let witness = "";

/** Changes the database, and waits until the cache has heard of it. */
async function change(statement: (sql: Sql) => Promise<unknown>): Promise<void> {
  // Alternating, since the announcement of the previous edit may arrive only now if everything was dropped.
  witness = witness === "shop-1" ? `shop-${BUSINESSES}` : "shop-1";
  const slug = witness;
  await cache.findOrMake(slug, async () => ({
    page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
    shows: { kind: "business", slug },
  }));
  await statement(sql);
  // Announcements arrive in order, so those before this one have arrived with it.
  await sql`update businesses set description = description || '.' where slug = ${slug}`;
  await until(async () => cache.find(slug) === undefined, 1_000);
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
  test(`cached pages are right after each change: ${title}`, async () => {
    let dropped = 0;
    let stayed = 0;
    for (const first of [2, 21, 33, 64, 101]) {
      // Different ones each time, since changing a suspended one has no effect.
      const number = first + index;
      await Promise.all(questions.map(findOrMake));
      await change((sql) => apply(`shop-${number}`, sql));
      for (const [question, now] of await askAll(questions)) {
        const kept = cache.find(nameOf(question));
        if (kept) expect(shownOn(kept.list)).toEqual(shownOn(now));
        if (kept) stayed += 1;
        else dropped += 1;
      }
    }
    expect(dropped).toBeGreaterThan(0);
    expect(stayed).toBeGreaterThan(0);
  });
}

test("totals of categories and cities are dropped when a business moves, comes or goes, and stay when it is edited", async () => {
  const slug = "shop-50";
  const isKept = async (statement: (sql: Sql) => Promise<unknown>) => {
    await cache.findOrMake("all totals", async () => ({
      page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
      shows: { kind: "totals" },
    }));
    await change(statement);
    return cache.find("all totals") !== undefined;
  };
  const setCategory = (category: string) => (sql: Sql) =>
    sql`update businesses set category_id = (select id from categories where slug = ${category}) where slug = ${slug}`;
  // Whatever earlier tests did to it.
  await sql`update businesses set status = 'approved' where slug = ${slug}`;
  await change(setCategory("leaf-1"));
  // To a category at the same depth, so that it leaves as many lists as it enters.
  expect(await isKept(setCategory("leaf-3"))).toBe(false);
  for (const [what, stays] of [
    ["another town", false],
    ["a new rating", true],
    // It goes, and comes again.
    ["approved, or suspended", false],
    ["approved, or suspended", false],
  ] as const) {
    expect([what, await isKept(async (sql) => changes[what]?.(slug, sql))]).toEqual([what, stays]);
  }
});

test("a business that comes or goes leaves the pages before it cached, and corrects their totals", async () => {
  const question = { city: undefined, category: undefined, offset: 0 };
  const { total, businesses } = await ask(question);
  const further = (await ask({ ...question, offset: 30 })).businesses[0]?.slug ?? "";
  const first = businesses[0]?.slug ?? "";
  const set = (slug: string, status: string) =>
    change((sql) => sql`update businesses set status = ${status} where slug = ${slug}`);

  await findOrMake(question);
  await set(further, "suspended");
  expect(cache.find(nameOf(question))?.list.total).toBe(total - 1);
  await set(further, "approved");
  expect(cache.find(nameOf(question))?.list.total).toBe(total);
  await set(first, "suspended");
  expect(cache.find(nameOf(question))).toBeUndefined();
  await set(first, "approved");
});

test("a business that is added at the end drops the last page, and the empty one after it", async () => {
  const filter = { city: "town-1", category: "leaf-1" };
  const last = (await ask({ ...filter, offset: 0 })).total - 1;
  const pages = [last - LIMIT - 3, last - 3, last + 1].map((offset) => ({ ...filter, offset }));
  await Promise.all(pages.map(findOrMake));
  await change(
    (sql) => sql`
      insert into businesses (slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
      select 'latecomer', 'Latecomer', 'approved', category_id, city_id, address_line1, postcode, latitude, longitude
      from businesses
      where category_id = (select id from categories where slug = 'leaf-1')
        and city_id = (select id from cities where slug = 'town-1')
      limit 1`,
  );
  expect(pages.map((question) => cache.find(nameOf(question))?.list.total)).toEqual([
    last + 2,
    undefined,
    undefined,
  ]);
});

test("an edit drops the pages that show the business, and no others", async () => {
  const everywhere = await ask({ city: undefined, category: undefined, offset: 20 });
  const [shown] = everywhere.businesses;
  await Promise.all(questions.map(findOrMake));
  await change(
    (sql) => sql`update businesses set phone = '0113 496 0001' where id = ${shown?.id ?? ""}`,
  );
  for (const [question, { businesses }] of await askAll(questions)) {
    // The witness was edited too.
    const isShown = businesses.some(({ id, slug }) => id === shown?.id || slug === witness);
    expect(cache.find(nameOf(question)) === undefined).toBe(isShown);
  }
  // It shows totals, which have not changed.
  expect(cache.find("probe")).toBeDefined();
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

test("concurrent requests for one page make it once", async () => {
  let made = 0;
  const pages = await Promise.all(
    Array.from({ length: 50 }, () =>
      cache.findOrMake("popular", async () => {
        made += 1;
        return {
          page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
          shows: { kind: "totals" },
        };
      }),
    ),
  );
  expect(made).toBe(1);
  expect(new Set(pages).size).toBe(1);
});

test.each([
  ["a change was announced", "update businesses set status = 'suspended' where slug = 'shop-7'"],
  ["everything may have changed", "select pg_notify('directory_pages', '*')"],
])("a page begun before %s is returned but not cached", async (name, statement) => {
  const begun = Promise.withResolvers<void>();
  const asked = cache.findOrMake(name, async () => {
    const list = await ask({ city: undefined, category: undefined, offset: 0 });
    await begun.promise;
    return { page: { list }, shows: { kind: "totals" } };
  });
  await change((sql) => sql.unsafe(statement));
  begun.resolve();
  await asked;
  expect(cache.find(name)).toBeUndefined();
});

test("a page overtaken by one begun later is returned, and does not replace it", async () => {
  const list = await ask({ city: undefined, category: undefined, offset: 0 });
  const slow = Promise.withResolvers<number>();
  const make = (total: number | Promise<number>) =>
    cache.findOrMake("overtaken", async () => ({
      page: { list: { ...list, total: await total } },
      shows: { kind: "business", slug: "shop-2" },
    }));
  const first = make(slow.promise);
  // Until then all callers wait for the first.
  await until(async () => make(2) !== first && cache.find("overtaken") !== undefined, 2_000);
  slow.resolve(1);
  expect((await first).list.total).toBe(1);
  expect(cache.find("overtaken")?.list.total).toBe(2);
});

test("once a page has been overtaken, new callers wait for the later one", async () => {
  const list = await ask({ city: undefined, category: undefined, offset: 0 });
  const [slow, later] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const make = (total: Promise<number>) =>
    cache.findOrMake("twice overtaken", async () => ({
      page: { list: { ...list, total: await total } },
      shows: { kind: "business", slug: "shop-2" },
    }));
  const first = make(slow.promise);
  await until(async () => make(later.promise) !== first, 2_000);
  slow.resolve(1);
  await first;
  const joined = make(Promise.resolve(3));
  later.resolve(2);
  expect((await joined).list.total).toBe(2);
  expect(cache.find("twice overtaken")?.list.total).toBe(2);
});

test("a list begun before a change was announced is cached with the change applied", async () => {
  const question = { city: undefined, category: undefined, offset: 0 };
  const { total } = await ask(question);
  const [further] = (await ask({ ...question, offset: 30 })).businesses;
  const [isRead, isTold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked = cache.findOrMake("slow list", async () => {
    const list = await ask(question);
    isRead.resolve();
    await isTold.promise;
    return { page: { list }, shows: list.shows };
  });
  await isRead.promise;
  await change(
    (sql) => sql`update businesses set status = 'suspended' where id = ${further?.id ?? ""}`,
  );
  isTold.resolve();
  expect((await asked).list.total).toBe(total);
  expect(cache.find("slow list")?.list.total).toBe(total - 1);
});

test("a list that shows a change already is cached with it counted once", async () => {
  const question = { city: undefined, category: undefined, offset: 0 };
  const { total } = await ask(question);
  const [further] = (await ask({ ...question, offset: 30 })).businesses;
  await cache.findOrMake("fresh list", async () => {
    // It is announced while the page is being made, but before the list is read.
    await change(
      (sql) => sql`update businesses set status = 'suspended' where id = ${further?.id ?? ""}`,
    );
    const list = await ask(question);
    return { page: { list }, shows: list.shows };
  });
  expect(cache.find("fresh list")?.list.total).toBe(total - 1);
});

test("a list read before a change is committed is cached with it, though other transactions came after it", async () => {
  const question = { city: undefined, category: undefined, offset: 0 };
  const { total } = await ask(question);
  const [further] = (await ask({ ...question, offset: 30 })).businesses;
  await sql.begin(async (transaction) => {
    await transaction`update businesses set status = 'suspended' where id = ${further?.id ?? ""}`;
    await sql`select pg_current_xact_id()`;
    await cache.findOrMake("early list", async () => {
      const list = await ask(question);
      return { page: { list }, shows: list.shows };
    });
  });
  await change(async () => {});
  expect(cache.find("early list")?.list.total).toBe(total - 1);
});

test("a page that cannot be made is an error for all waiting callers, and is tried again for the next", async () => {
  const failing = () => cache.findOrMake("failing", () => Promise.reject(new Error("away")));
  const all = await Promise.allSettled([failing(), failing()]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await findOrMake({ city: undefined, category: undefined, offset: 0 })).toBeDefined();
});

test("nothing is found while announcements cannot be heard, not even what was cached before", async () => {
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

test("a cached page is found also while other businesses keep changing", async () => {
  await cache.findOrMake("quiet", async () => ({
    page: { list: await ask({ city: undefined, category: undefined, offset: 0 }) },
    shows: { kind: "business", slug: "shop-2" },
  }));
  // For longer than pages are found without hearing from PostgreSQL.
  const end = performance.now() + 1_500;
  const found: boolean[] = [];
  // There are nearly always announcements waiting to be read.
  const edit = async (slug: string) => {
    while (performance.now() < end) {
      await sql`update businesses set description = slug where slug = ${slug}`;
      found.push(cache.find("quiet") !== undefined);
    }
  };
  await Promise.all(["shop-3", "shop-4", "shop-5"].map(edit));
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(Boolean).length).toBeGreaterThan(0.8 * found.length);
});

interface Text {
  text: string;
}
/** Pages whose bytes are read lazily, with the count of their characters as another form. */
const texts: Packing<Text & { count(): unknown }, null> = {
  pack: ({ text }) => ({ bytes: encode(text), tag: text, rest: null }),
  unpack: (stored) => ({
    get text() {
      return decode(stored.bytes()) as string;
    },
    count() {
      const known = stored.findForm("count");
      if (known) return decode(known);
      const { length } = decode(stored.bytes()) as string;
      stored.keepForm("count", encode(length));
      return null;
    },
  }),
  grow() {
    throw new Error("no list, and grows");
  },
};

async function withTexts(
  size: number,
  use: (
    texts: PageCache<Text & { count(): unknown }>,
    make: (text: string) => Promise<Text & { count(): unknown }>,
    reports: unknown[],
  ) => Promise<void>,
): Promise<void> {
  const room: PageFile = new RingFile(tmpdir(), { size, mostNames: 1_000 });
  const reports: unknown[] = [];
  const cache = await createPageCache(sql, room, logInto(reports, "err"), texts);
  const make = async (text: string) =>
    await cache.findOrMake(text, async () => ({
      page: { text: text.padEnd(1_500), count: () => null },
      shows: { kind: "business", slug: text },
    }));
  try {
    await until(async () => {
      await make("first");
      return cache.find("first") !== undefined;
    }, 2_000);
    await use(cache, make, reports);
  } finally {
    await cache.stop();
    room.close();
  }
}

test("confirmations of another server do not count for this one, nor do its own that arrive late", async () => {
  const own = openPostgres(database.url, { max: 1 });
  let confirmation = "";
  own.options.debug = (_connection, _query, [, payload]) => {
    confirmation = String(payload);
  };
  const room: PageFile = new RingFile(tmpdir(), { size: 10_000, mostNames: 10 });
  const cache = await createPageCache(own, room, logInto(faults, "err"), texts);
  const page = {
    page: { text: "a", count: () => null },
    shows: { kind: "business", slug: "a" },
  } as const;
  const isFound = async () => {
    await cache.findOrMake("a", async () => page);
    return cache.find("a") !== undefined;
  };
  await until(isFound, 2_000);
  const connection = await own.reserve();
  // From a server that has been up for longer.
  const other = `confirm ${crypto.randomUUID()} 1e12`;
  try {
    // From here on this one cannot send confirmations.
    await until(async () => {
      // In one transaction, so that they arrive together: the last one counts, if any does.
      await sql`
        select pg_notify('directory_pages', ${confirmation}), pg_notify('directory_pages', ${other})`;
      return !(await isFound());
    }, 2_000);
  } finally {
    connection.release();
    await cache.stop();
    room.close();
    await own.end();
  }
});

test("the least used pages are evicted first", async () => {
  await withTexts(10_000, async (texts, make) => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) {
      await make(name);
      await make("first");
    }
    expect(["first", "a", "b", "h"].map((name) => texts.find(name)?.text.trim())).toEqual([
      "first",
      undefined,
      undefined,
      "h",
    ]);
  });
});

test("another form of a page is cached beside it, and made again after its eviction", async () => {
  await withTexts(10_000, async (texts, make) => {
    await make("a");
    expect(texts.find("a")?.count()).toBeNull();
    expect(texts.find("a")?.count()).toBe(1_500);
    expect(texts.find("first")?.count()).toBeNull();
    for (const name of "bcdefghijklmnop") {
      await make(name);
      await make("a");
    }
    expect(texts.find("a")?.count()).toBeNull();
    expect(texts.find("a")?.count()).toBe(1_500);
  });
});

test("a file that cannot be read is no longer used, which is reported once, and all pages are returned", async () => {
  await withTexts(10_000_000, async (texts, make, reports) => {
    await make("one");
    await make("two");
    const [one, two] = [texts.find("one"), texts.find("two")];
    for (const { path } of keptFiles()) truncateSync(path);
    expect(() => one?.text).toThrow(LostPageError);
    expect(() => two?.text).toThrow(LostPageError);
    for (const name of ["one", "two", "three"]) {
      expect((await make(name)).text.trim()).toBe(name);
      expect(texts.find(name)).toBeUndefined();
    }
    expect(reports).toHaveLength(1);
  });
});

test("pages that cannot be cached are returned all the same, which is reported now and then", async () => {
  await withTexts(10_000, async (_, make, reports) => {
    for (const name of "abcdefghijklmnopqrstuvwx") {
      // A page in use has to be moved to make room, and can no longer be read.
      for (const { path } of keptFiles()) truncateSync(path);
      expect((await make(name)).text.trim()).toBe(name);
      await make("first");
    }
    expect(reports).toHaveLength(1);
  });
});

test("a disk that stays full is reported once a minute", () => {
  const full: PageFile = new RingFile(tmpdir(), { size: 10_000, mostNames: 10 });
  full.set = () => {
    throw new Error("full");
  };
  const clock = spyOn(performance, "now");
  const reportedAt: number[] = [];
  const log = pino({}, { write: () => void reportedAt.push(performance.now() / 1000) });
  const pages = keptPages<null>(full, log);
  for (let second = 0; second < 150; second++) {
    clock.mockReturnValue(second * 1000);
    pages.keep("a", { bytes: encode("a"), tag: "a", rest: null }, { kind: "totals" }, 0);
  }
  clock.mockRestore();
  full.close();
  expect(reportedAt).toEqual([0, 60, 120]);
});

test("a form of a page that has been made again is not returned, and is replaced by a new one", async () => {
  const room: PageFile = new RingFile(tmpdir(), { size: 10_000, mostNames: 2 });
  let version = "0";
  const cache = await createPageCache<{ stored?: Stored }, null>(
    sql,
    room,
    logInto(faults, "err"),
    {
      pack: () => ({ bytes: encode(version), tag: version, rest: null }),
      unpack: (stored) => ({ stored }),
      grow: () => ({}),
    },
  );
  const find = async () => {
    await until(async () => {
      await cache.findOrMake("a", async () => ({ page: {}, shows: { kind: "totals" } }));
      return cache.find("a") !== undefined;
    }, 2_000);
    return cache.find("a")?.stored;
  };
  try {
    for (version of ["1", "2", "3"]) {
      room.delete("a");
      const page = await find();
      expect(page?.tag).toBe(version);
      expect(page?.findForm("coded")).toBeUndefined();
      page?.keepForm("coded", encode(version));
      expect(decode(page?.findForm("coded") ?? encode(null))).toBe(version);
    }
    expect(decode((await find())?.bytes() ?? encode(null))).toBe("3");
  } finally {
    await cache.stop();
    room.close();
  }
});

test("a form that cannot be read is not returned", async () => {
  await withTexts(10_000_000, async (texts, make, reports) => {
    await make("a");
    expect(texts.find("a")?.count()).toBeNull();
    const found = texts.find("a");
    // It was written last.
    for (const { path, size } of keptFiles()) truncateSync(path, Math.max(0, size - 1));
    expect(() => found?.count()).toThrow(LostPageError);
    expect(reports).toHaveLength(1);
  });
});

for (const [what, spoil] of Object.entries({
  truncated: (path: string) => truncateSync(path),
  overwritten: (path: string, size: number) => {
    truncateSync(path);
    truncateSync(path, size);
  },
})) {
  test(`a page is not found when the data that changes are compared with is ${what}`, async () => {
    const question = { city: undefined, category: undefined, offset: 0 };
    await findOrMake(question);
    await change((sql) => sql`update businesses set rating = 5 - rating where slug = 'shop-3'`);
    for (const { path, size } of keptFiles()) spoil(path, size);
    expect(cache.find(nameOf(question))).toBeUndefined();
    expect(faults.splice(0)).toHaveLength(1);
  });
}

test("a found page that has been overwritten is lost, never a different one", async () => {
  await withTexts(10_000, async (texts, make) => {
    await make("a");
    const found = texts.find("a");
    for (const name of ["b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"]) {
      await make(name);
    }
    expect(() => found?.text).toThrow(LostPageError);
  });
});

test("cached pages, totals included, are right after concurrent changes", async () => {
  const flip = (sql: Sql | Transaction, slug: string, status: string) =>
    sql`update businesses set status = ${status} where slug = ${slug}`;
  const apply = Object.values(changes).slice(0, -2);
  let isOver = false;

  // Each makes the same changes every time; only their interleaving varies.
  const write = async (_: unknown, seed: number) => {
    const random = createRandom(seed);
    for (let turn = 0; turn < 20; turn++) {
      const slug = `shop-${random.between(2, BUSINESSES - 1)}`;
      const kind = random.between(0, 9);
      if (kind < 6) await random.pick(apply)(slug, sql);
      // The same twice in one transaction.
      else if (kind < 8) {
        await sql.begin(async (transaction) => {
          for (const status of ["suspended", "approved", "suspended"]) {
            await flip(transaction, slug, status);
          }
        });
      } else if (kind < 9) {
        await sql
          .begin(async (transaction) => {
            await flip(transaction, slug, "suspended");
            throw new Error("changed my mind");
          })
          .catch(() => {});
      } else await flip(sql, slug, "approved");
    }
  };
  const read = async (_: unknown, seed: number) => {
    const random = createRandom(seed);
    while (!isOver) await findOrMake(random.pick(questions));
  };
  const reading = Promise.all(Array.from({ length: 3 }, read));
  await Promise.all(Array.from({ length: 5 }, write));
  isOver = true;
  await reading;

  // Readers that find everything never yield, so announcements have waited.
  await until(isHeard, 2_000);
  // The last changes may have dropped all of them; those made now are cached.
  for (const question of questions) await findOrMake(question);
  await change(async () => {});
  const kept = questions.filter((question) => cache.find(nameOf(question)));
  for (const [question, now] of await askAll(kept)) {
    expect(shownOn(cache.find(nameOf(question))?.list as ListPage)).toEqual(shownOn(now));
  }
  expect(kept.length).toBeGreaterThan(0);
});
