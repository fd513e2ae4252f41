import { afterAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { listCategories } from "../../src/directory/categories.ts";
import { CategoryFault, importCategories } from "../../src/directory/import/categories.ts";
import type { ImportCounts, ImportOptions } from "../../src/directory/import/feed.ts";
import type { ImportRecord } from "../../src/directory/import/record.ts";
import { readStored, updateBusinesses } from "../../src/directory/import/rows.ts";
import { importRecords } from "../../src/directory/import.ts";
import { listBusinesses } from "../../src/directory/listing.ts";
import { applyAction } from "../../src/directory/moderation.ts";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { createDatabase, delayedBy, untilBlocked } from "../support.ts";

const database = await createDatabase();
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`delete from businesses`;
  await database.sql`delete from cities`;
  await database.sql`delete from search_changes`;
});

const whole: ImportRecord = {
  sourceId: "1",
  name: "Boots",
  category: "pharmacies",
  city: "Norwich",
  shortDescription: "A chemist.",
  description: "A chemist.\n\nOpen late.",
  address: { line1: "19 Castle Quarter", line2: "Level 1", postcode: "NR1 3DD" },
  coordinates: { lat: 52.6271, lng: 1.2963 },
  phone: "01632 960123",
  email: "norwich@boots.example",
  website: "https://boots.example/norwich",
  rating: 4.25,
  reviewCount: 12,
  isClaimed: true,
  isVerified: true,
  isPremium: true,
  photos: [{ url: "https://boots.example/front.jpg", caption: "The front", isCover: true }],
  openingHours: [
    { day: "monday", openTime: "09:00", closeTime: "24:00" },
    { day: "TUESDAY", is24Hours: true },
    { day: "WEDNESDAY", isClosed: true },
  ],
};

async function load(
  records: object[],
  options: Partial<ImportOptions> = {},
): Promise<ImportCounts & { reasons: string[]; unusable: string[] }> {
  const reasons: string[] = [];
  const unusable: string[] = [];
  const counts = await importRecords(database.sql, records, {
    source: "test",
    onReject: (_, reason) => reasons.push(reason),
    onUnusable: (_, fields) => unusable.push(...fields),
    ...options,
  });
  return { ...counts, reasons, unusable };
}

const stored = (sourceId = "1") =>
  database.sql`
    select b.*, b.rating::float8 as rating, cities.name as city, categories.slug as category
    from businesses as b
      left join cities on cities.id = b.city_id
      left join categories on categories.id = b.category_id
    where b.source_id = ${sourceId}`.then(([row]) => row);

const named = (sourceId: string, name: string, more: Partial<ImportRecord> = {}) => ({
  ...whole,
  sourceId,
  name,
  ...more,
});

test("keeps every field of a record", async () => {
  expect(await load([whole])).toMatchObject({ read: 1, created: 1, rejected: 0, pending: 0 });
  expect(await stored()).toMatchObject({
    slug: "boots-norwich",
    source: "test",
    status: "approved",
    name: "Boots",
    category: "pharmacies",
    city: "Norwich",
    short_description: "A chemist.",
    description: "A chemist.\n\nOpen late.",
    address_line1: "19 Castle Quarter",
    address_line2: "Level 1",
    postcode: "NR1 3DD",
    latitude: 52.6271,
    longitude: 1.2963,
    phone: "01632 960123",
    email: "norwich@boots.example",
    website: "https://boots.example/norwich",
    rating: 4.25,
    review_count: 12,
    is_claimed: true,
    is_verified: true,
    is_premium: true,
    photos: [{ url: "https://boots.example/front.jpg", caption: "The front", isCover: true }],
    opening_hours: "Mo 09:00-00:00; Tu 00:00-24:00; We off",
  });
});

test("a place on the meridian stays there, whatever the sign of its zero", async () => {
  await load([{ ...whole, coordinates: { lat: 52, lng: -0 } }]);
  expect(await load([{ ...whole, coordinates: { lat: 52, lng: -0 } }])).toMatchObject({
    unchanged: 1,
  });
});

test("importing the same again changes nothing and writes nothing", async () => {
  const feed = [
    whole,
    named("2", "Jarrold", { phone: "ask", coordinates: null }),
    named("3", "A", { rating: 4.256 }),
  ];
  await load(feed);
  const before = await database.sql`select id, xmin::text, updated_at from businesses order by id`;
  await database.sql`truncate search_changes`;

  const again = await load(feed);

  expect(again).toMatchObject({ read: 3, created: 0, updated: 0, unchanged: 3, pending: 1 });
  expect([
    ...(await database.sql`select id, xmin::text, updated_at from businesses order by id`),
  ]).toEqual([...before]);
  expect((await database.sql`select from search_changes`).length).toBe(0);
  expect((await stored("3"))?.rating).toBe(4.26);
});

test("a field in a record replaces the old value, one that is left out keeps it, and null or '' clears it", async () => {
  await load([whole]);

  const { phone: _, ...withoutPhone } = whole;
  expect(await load([{ ...withoutPhone, name: "Boots UK" }])).toMatchObject({
    updated: 1,
    withdrawn: 0,
  });
  expect(await stored()).toMatchObject({
    name: "Boots UK",
    phone: "01632 960123",
    slug: "boots-norwich",
  });

  await load([
    {
      sourceId: "1",
      name: "Boots UK",
      email: "",
      website: null,
      rating: null,
      reviewCount: null,
      isPremium: null,
      photos: null,
      openingHours: null,
      address: { line2: null },
    },
  ]);
  expect(await stored()).toMatchObject({
    email: "",
    website: "",
    rating: 0,
    review_count: 0,
    is_premium: false,
    photos: [],
    opening_hours: "",
    address_line1: "19 Castle Quarter",
    address_line2: null,
    postcode: "NR1 3DD",
    status: "approved",
  });
});

test("the lines of an address change together, and only when the first is given", async () => {
  await load([whole]);
  await load([{ ...whole, address: { postcode: "NR1 3DD" } }]);
  expect(await stored()).toMatchObject({
    address_line1: "19 Castle Quarter",
    address_line2: "Level 1",
  });
  await load([{ ...whole, address: { line1: "5 Ber Street" } }]);
  expect(await stored()).toMatchObject({ address_line1: "5 Ber Street", address_line2: null });
  await load([{ ...whole, address: null }]);
  expect(await stored()).toMatchObject({ address_line1: "", address_line2: null, postcode: "" });
});

test("commas separate the lines of an address that is given in one, and the last that is a town is found", async () => {
  const address = {
    line1: "Lamb Yard ,\r\nOrford Place\n",
    line2: "Orford\n\nHill&#13;&#10;Castle Meadow",
    postcode: "NR1 3QD",
  };
  for (const isOwnFormat of [true, false]) {
    await load([{ ...whole, address, city: "Lamb Yard\nNorwich" }], { isOwnFormat });
    expect(await stored()).toMatchObject({
      address_line1: "Lamb Yard, Orford Place",
      address_line2: "Orford, Hill, Castle Meadow",
    });
    const page = await listBusinesses(database.sql, { offset: 0, limit: 20, city: "norwich" });
    expect(page.total).toBe(1);
    expect(await load([{ ...whole, address, city: "Norwich" }])).toMatchObject({ unchanged: 1 });
  }
});

test("an incomplete business is pending and counted, and approved once it is complete", async () => {
  const lacking: Partial<ImportRecord>[] = [
    { ...whole, sourceId: "category", category: null },
    { ...whole, sourceId: "city", city: "  " },
    { ...whole, sourceId: "line1", address: { postcode: "NR1 3DD" } },
    { ...whole, sourceId: "n/a", address: { line1: "N/A", line2: "-", postcode: "NR1 3DD" } },
    {
      ...whole,
      sourceId: "#N/A",
      address: { line1: "#N/A", line2: "Please select", postcode: "NR1 3DD" },
    },
    { ...whole, sourceId: "postcode", address: { line1: "1 High Street", postcode: "NR1" } },
    { ...whole, sourceId: "coordinates", coordinates: null },
  ];
  const { unusable, ...counts } = await load(lacking);
  expect(counts).toMatchObject({ created: 7, pending: 7, rejected: 0 });
  expect(unusable).toEqual(["line1", "line2", "line1", "line2", "postcode"]);
  expect((await listBusinesses(database.sql, { offset: 0, limit: 20 })).total).toBe(0);

  const completed = lacking.map(({ sourceId = "" }) => ({ ...whole, sourceId }));
  expect(await load(completed)).toMatchObject({ updated: 7, pending: 0 });
  expect((await listBusinesses(database.sql, { offset: 0, limit: 20 })).total).toBe(7);
});

test("an approved business that becomes incomplete is pending until it is complete again, whatever the import's status", async () => {
  const both = [whole, named("2", "Jarrold")];
  await load([whole]);
  // Whoever approved it.
  await load(both, { status: "pending" });
  await applyAction(database.sql, "approve", (await stored("2"))?.slug);

  const lost = both.map((record) => ({ ...record, city: "" }));
  for (const status of ["approved", "pending"] as const) {
    expect(await load(lost, { status })).toMatchObject({ updated: 2, pending: 2, withdrawn: 2 });
    expect(await stored()).toMatchObject({ status: "pending", city: null });
    expect(await load(lost, { status })).toMatchObject({ unchanged: 2, pending: 2, withdrawn: 0 });
    expect(await load(both, { status })).toMatchObject({ updated: 2, pending: 0 });
    for (const id of ["1", "2"]) {
      expect(await stored(id)).toMatchObject({ status: "approved", city: "Norwich" });
    }
  }
});

test("an operator's decision about a business that a record made pending stands", async () => {
  const ids = ["1", "2", "3", "4"];
  const feed = ids.map((sourceId) => ({ ...whole, sourceId }));
  await load(feed);
  await load(feed.map((record) => ({ ...record, city: "" })));
  await applyAction(database.sql, "reject", (await stored("1"))?.slug);
  await applyAction(database.sql, "suspend", (await stored("2"))?.slug);
  // Rejected, and then set back to pending, both in SQL.
  await database.sql`update businesses set status = 'rejected' where source_id = '3'`;
  await database.sql`update businesses set status = 'pending' where source_id = '3'`;
  // This decides nothing about its status.
  await applyAction(database.sql, "unclaim", (await stored("4"))?.slug);

  await load(feed);

  const statuses = await Promise.all(ids.map(async (id) => (await stored(id))?.status));
  expect(statuses).toEqual(["rejected", "suspended", "pending", "approved"]);
});

test("the status of a record and of the import applies to new businesses only", async () => {
  const suspended = { ...whole, sourceId: "2", status: "suspended" as const };
  // It is incomplete, but that is not why it is pending.
  const rejected = { ...whole, sourceId: "3", status: "rejected" as const, city: null };
  const statuses = () =>
    Promise.all(["1", "2", "3"].map(async (sourceId) => (await stored(sourceId))?.status));
  // One that only waits for an operator is not counted, since it is complete.
  expect(await load([whole, suspended, rejected], { status: "pending" })).toMatchObject({
    created: 3,
    pending: 0,
  });
  expect(await statuses()).toEqual(["pending", "suspended", "rejected"]);

  await load([whole, ...[suspended, rejected].map((each) => ({ ...each, status: "approved" }))]);
  expect(await statuses()).toEqual(["pending", "suspended", "rejected"]);
});

test("no record escapes an import with status pending by saying that it is approved", async () => {
  const approved = { ...whole, status: "approved" as const };
  const incomplete = { ...approved, sourceId: "2", coordinates: null };
  await load([approved, incomplete], { status: "pending" });
  // Neither when it is completed later, by whatever import, nor when it was incomplete before.
  await load([{ ...incomplete, sourceId: "3" }]);
  for (const status of ["pending", "approved"] as const) {
    await load([approved, { ...approved, sourceId: "2" }], { status });
  }
  await load([{ ...approved, sourceId: "3" }], { status: "pending" });
  for (const id of ["1", "2", "3"]) expect((await stored(id))?.status).toBe("pending");
  expect((await listBusinesses(database.sql, { offset: 0, limit: 20 })).total).toBe(0);
});

test("a business awaiting review is counted while incomplete, and completing it does not approve it", async () => {
  const incomplete = { ...whole, coordinates: null };
  const feed = [incomplete, { ...incomplete, sourceId: "2" }];
  expect(await load(feed, { status: "pending" })).toMatchObject({ created: 2, pending: 2 });
  const complete = [whole, { ...whole, sourceId: "2" }];
  expect(await load(complete)).toMatchObject({ updated: 2, pending: 0, withdrawn: 0 });
  expect((await stored("1"))?.status).toBe("pending");

  const { slug } = (await stored("2")) as { slug: string };
  await applyAction(database.sql, "approve", slug);
  // Once approved by an operator, it is like any other.
  expect(await load(feed)).toMatchObject({ updated: 2, pending: 2 });
  await load(complete);
  expect((await stored("1"))?.status).toBe("pending");
  expect((await stored("2"))?.status).toBe("approved");
});

test("the address of a photo may have capitals and spaces", async () => {
  await load([{ ...whole, photos: [{ url: " HTTPS://x.example/a b.jpg" }] }]);
  const photo = { url: "https://x.example/a%20b.jpg", caption: "", isCover: false };
  expect((await stored())?.photos).toEqual([photo]);
  expect(await load([{ ...whole, photos: [photo] }])).toMatchObject({ unchanged: 1 });
});

test("the address of a photo may have HTML entities, as from a website's own feed", async () => {
  const photos = [{ url: "https://x.example/?w=1&amp;h=2&#38;q=3&copy=4" }];
  await load([{ ...whole, photos }]);
  expect((await stored())?.photos).toMatchObject([
    { url: "https://x.example/?w=1&h=2&q=3&copy=4" },
  ]);
});

test("no import overrides an operator who rejected, suspended or set back to pending", async () => {
  await load([whole, named("2", "Jarrold", { city: null }), named("3", "Roys")]);
  await applyAction(database.sql, "suspend", "boots-norwich");
  await applyAction(database.sql, "reject", (await stored("2"))?.slug);
  await database.sql`update businesses set status = 'pending' where source_id = '3'`;

  await load([{ ...whole, phone: "" }, named("2", "Jarrold"), named("3", "Roys", { phone: "" })]);

  expect(await stored("1")).toMatchObject({ status: "suspended", phone: "" });
  expect(await stored("2")).toMatchObject({ status: "rejected", city: "Norwich" });
  expect(await stored("3")).toMatchObject({ status: "pending", phone: "" });
  // Nor one that completes it, and then it is like any other that awaits review.
  await load([named("3", "Roys", { city: null })]);
  expect(await load([named("3", "Roys")])).toMatchObject({ updated: 1, withdrawn: 0 });
  expect(await stored("3")).toMatchObject({ status: "pending", city: "Norwich" });
});

test("an operator's decision during an import stands", async () => {
  await load([whole]);
  // The import has read the business as it was, and waits to write it.
  const counts = await delayedBy(
    database.sql,
    (operator) => operator`update businesses set status = 'suspended' where slug = 'boots-norwich'`,
    () => load([{ ...whole, name: "Boots UK" }]),
  );

  expect(counts).toMatchObject({ updated: 1, unchanged: 0 });
  expect(await stored()).toMatchObject({ status: "suspended", name: "Boots UK" });
});

test("a business deleted during an import is created again, and counted", async () => {
  await load([whole]);
  const counts = await delayedBy(
    database.sql,
    (operator) => operator`delete from businesses where slug = 'boots-norwich'`,
    () => load([{ ...whole, name: "Boots UK" }]),
  );

  expect(counts).toMatchObject({ read: 1, created: 1, updated: 0 });
  expect(await stored()).toMatchObject({ status: "approved", name: "Boots UK" });
});

test("a row that has changed since it was read is not updated", async () => {
  const { sql } = database;
  await load([whole, named("2", "Jarrold")]);
  const read = await readStored(sql, "test", ["1", "2"]);
  await applyAction(sql, "suspend", "boots-norwich");
  const after = Array.from(read.values(), (business) => ({ ...business, phone: "" }));

  const updated = await sql.begin((transaction) => updateBusinesses(transaction, after));

  expect([...updated]).toEqual([read.get("2")?.id ?? ""]);
  expect(await stored("1")).toMatchObject({ status: "suspended", phone: "01632 960123" });
  expect(await stored("2")).toMatchObject({ status: "approved", phone: "" });
});

test("slugs are readable, then with the outcode, then numbered, and stay on later imports", async () => {
  const at = (sourceId: string, postcode: string) =>
    named(sourceId, "Boots", { address: { line1: "1 High Street", postcode } });
  await load([named("0", "Jarrold", { slug: "boots-norwich-nr2-3" })]);
  await load([at("1", "NR2 1LL"), at("2", "NR2 1LL"), at("3", "NR2 1LL"), at("4", "NR2 1LL")]);
  await load([at("5", "NR3 1LL"), at("6", "NR2 1LL"), named("7", "Boots", { city: "Leeds" })]);
  const slugs = () =>
    database.sql`select slug from businesses order by source_id`.then((rows) =>
      rows.map(({ slug }) => slug),
    );
  const given = [
    "boots-norwich-nr2-3",
    "boots-norwich",
    "boots-norwich-nr2",
    "boots-norwich-nr2-2",
    "boots-norwich-nr2-4",
    "boots-norwich-nr3",
    "boots-norwich-nr2-5",
    "boots-leeds",
  ];
  expect(await slugs()).toEqual(given);

  await load([named("1", "Chemist Direct", { city: "Leeds", slug: "chemist" })]);
  expect(await slugs()).toEqual(given);
});

test("businesses of the same name are numbered without a gap, across batches and imports", async () => {
  const boots = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => named(`b${from + i}`, "Boots"));
  await load(boots(0, 700));
  // Two batches, see BATCH_SIZE.
  expect(await load(boots(700, 10_300))).toMatchObject({ read: 10_300, created: 10_300 });
  const [last] = await database.sql`
    select max(substring(slug from '^boots-norwich-nr1-([0-9]+)$')::integer) as number,
      count(*)::integer as count
    from businesses`;
  // boots-norwich and boots-norwich-nr1 come before number 2.
  expect(last).toEqual({ number: 10_999, count: 11_000 });
});

/** Businesses with these long fields. */
const long = (count: number, fields: Partial<ImportRecord>) =>
  Array.from({ length: count }, (_, i) => named(String(i), "Boots", fields));
const photo = { url: `https://boots.example/${"x".repeat(1_900)}`, caption: "y".repeat(500) };
const pictured = long(70, { photos: Array(200).fill(photo) });

test("a batch is bounded in characters, so that long descriptions and photos do not fill the memory", async () => {
  const description = "long ".repeat(4_000).trim();
  for (const records of [long(1_700, { description }), pictured]) {
    const batches: number[] = [];
    await load(records, { dryRun: true, onProgress: (read) => batches.push(read) });
    expect(batches).toEqual([expect.any(Number), records.length]);
  }
});

test("what short records change in long businesses is sent in parts, since PostgreSQL takes 1 GB at most", async () => {
  await load(pictured);
  const rated = pictured.map(({ sourceId, name }) => ({ sourceId, name, rating: 4 }));
  expect(await load(rated)).toMatchObject({ updated: 70 });
  // Each statement of a transaction has its own cmin.
  const [sent] = await database.sql`
    select count(distinct cmin::text)::integer as statements from businesses where rating = 4`;
  expect(sent).toEqual({ statements: 2 });
});

test("slugs of odd names", async () => {
  await load([
    named("1", "  Joe’s   Café & Grill  "),
    named("2", "BRAŞOV"),
    named("3", "寿司"),
    named("4", "x".repeat(200)),
    named("5", "Busseys Norwich"),
    named("6", `${"long ".repeat(39)}name`),
    named("7", `${"x".repeat(60)} ${"y".repeat(9)} z`),
    named("8", "Norwich"),
    named("9", "x".repeat(200), { city: `Llan${"fair".repeat(10)}` }),
    named("91", "Tilbury Hire of Tilbury", { city: "Bury" }),
  ]);
  const rows = await database.sql`select source_id, slug, name from businesses order by source_id`;
  expect(rows.map(({ slug }) => slug)).toEqual([
    "joes-cafe-and-grill-norwich",
    "brasov-norwich",
    "business-norwich",
    `${"x".repeat(70)}-norwich`,
    "busseys-norwich",
    `${"long-".repeat(14)}norwich`,
    `${"x".repeat(60)}-${"y".repeat(9)}-norwich`,
    "norwich",
    // With an outcode and a number, too, it has 120 characters at most.
    `${"x".repeat(70)}-llan${"fair".repeat(7)}fa`,
    "tilbury-hire-of-tilbury-bury",
  ]);
  expect(rows[0]?.name).toBe("Joe’s Café & Grill");
});

test("a slug in the record is used when it is free, and the record rejected with a reason when it is not", async () => {
  const result = await load([
    named("1", "Boots Norwich"),
    { ...whole, sourceId: "2", slug: "boots-norwich" },
    { ...whole, sourceId: "3", slug: "boots-norwich" },
    { ...whole, sourceId: "4", slug: "Not a slug" },
    { ...whole, sourceId: "5", slug: "" },
  ]);
  expect(result).toMatchObject({ read: 5, created: 3, rejected: 2 });
  expect(result.reasons.toSorted()).toEqual([
    "slug must be lower-case letters, digits and single hyphens, at most 120",
    "the slug belongs to another business: give another, or none",
  ]);
  expect((await stored("2"))?.slug).toBe("boots-norwich");
  expect((await stored("1"))?.slug).toBe("boots-norwich-nr1");
  expect((await stored("5"))?.slug).toStartWith("boots-");
  // Nor is one that existed before the import.
  expect(await load([named("6", "Jarrold", { slug: "boots-norwich" })])).toMatchObject({
    created: 0,
    rejected: 1,
  });
});

test("a repeat of a row whose slug was taken is not rejected for being different", async () => {
  const taken = { ...whole, sourceId: "2", slug: "boots-norwich" };
  const result = await load([{ ...whole, slug: "boots-norwich" }, taken, taken]);
  expect(result).toMatchObject({ read: 3, created: 1, unchanged: 0, rejected: 2 });
  expect(result.reasons).toEqual([
    "the slug belongs to another business: give another, or none",
    "an earlier row with the same sourceId was rejected: fix that one",
  ]);
});

test("a repeated row with another town is a different one, and with no town the same", async () => {
  const { city: _, ...nowhere } = whole;
  const result = await load([nowhere, { ...whole, city: "Ystrad Mynach" }]);
  expect(result).toMatchObject({ created: 1, unchanged: 0, rejected: 1 });
  expect(result.reasons).toEqual(["an earlier row has the same sourceId but differs"]);
  expect(await database.sql`select from cities`).toHaveLength(0);
  const twice = { ...whole, sourceId: "2", city: null };
  expect(await load([twice, twice])).toMatchObject({ created: 1, unchanged: 1, rejected: 0 });
});

test("of rows with the same sourceId the first counts, and again on the next import", async () => {
  const feed = [whole, whole, { ...whole, name: "Superdrug" }];
  const expected = { read: 3, unchanged: 1, rejected: 1 };
  const first = await load(feed);
  expect(first).toMatchObject({ ...expected, created: 1, updated: 0 });
  expect(first.reasons).toEqual(["an earlier row has the same sourceId but differs"]);
  expect(await load(feed)).toMatchObject({
    read: 3,
    created: 0,
    updated: 0,
    unchanged: 2,
    rejected: 1,
  });
  expect((await stored())?.name).toBe("Boots");
});

test("a category may be written with capitals, spaces and entities, and in the singular", async () => {
  const spellings = [
    " Bakeries ",
    "Fish & Chips",
    "fish  and chips",
    "FISH-AND-CHIPS",
    "Fish &amp; Chips",
    "Gift shop",
    "Café",
    "Bakery",
    "Car wash",
    "Takeaway",
    "Locksmith",
    "Gym",
  ];
  await load(spellings.map((category, place) => ({ ...whole, sourceId: `${place}`, category })));
  const categories = await Promise.all(spellings.map((_, place) => stored(`${place}`)));
  expect(categories.map((business) => business?.category)).toEqual([
    "bakeries",
    "fish-and-chips",
    "fish-and-chips",
    "fish-and-chips",
    "fish-and-chips",
    "gift-shops",
    "cafes",
    "bakeries",
    "car-washes",
    "takeaways",
    "locksmiths",
    "gyms",
  ]);
  expect(await load([{ ...whole, category: " " }])).toMatchObject({ rejected: 0, pending: 1 });
});

test.each<[given: string[], kept: string[]]>([
  [["09:00-12:00", "12:00-17:00"], ["09:00-17:00"]],
  [["12:00-17:00", "09:00-13:00", "09:30-10:00"], ["09:00-17:00"]],
  [
    ["09:00-12:00", "13:00-17:00"],
    ["09:00-12:00", "13:00-17:00"],
  ],
  [["18:00-23:00", "22:00-02:00"], ["18:00-02:00"]],
  [
    ["18:00-02:00", "01:00-02:00"],
    ["01:00-02:00", "18:00-02:00"],
  ],
  [["18:00-24:00", "12:00-18:00"], ["12:00-00:00"]],
  [["00:00-12:00", "12:00-24:00"], ["00:00-24:00"]],
  [["00:00-00:00"], ["00:00-24:00"]],
  [["00:00-06:00"], ["00:00-06:00"]],
  [["06:00-18:00", "17:00-05:30"], ["06:00-05:30"]],
  [["06:00-18:00", "17:00-07:00"], ["06:00-06:00"]],
  [["09:00-09:00", "10:00-11:00"], ["09:00-09:00"]],
])("hours of a day that touch or overlap are one: %j", async (given, kept) => {
  const openingHours = given.map((hours) => {
    const [openTime, closeTime] = hours.split("-");
    return { day: "FRIDAY", openTime, closeTime };
  });
  await load([{ ...whole, openingHours: [{ day: "MONDAY", isClosed: true }, ...openingHours] }]);
  expect(await stored()).toMatchObject({ opening_hours: `Mo off; Fr ${kept.join(",")}` });
});

test.each([
  ["closed", "closed", "off"],
  ["closed", "18:00-23:00", "18:00-23:00"],
  ["18:00-23:00", "closed", "18:00-23:00"],
  ["24h", "closed", "00:00-24:00"],
  ["closed", "24h", "00:00-24:00"],
])("a day with two sessions, %s and %s, is published as %s", async (lunch, dinner, kept) => {
  const openingHours = [lunch, dinner].map((hours) => {
    const [openTime, closeTime] = hours.split("-");
    // As the API answers it.
    if (hours === "closed") return { day: "FRIDAY", openTime: "", closeTime: "", isClosed: true };
    return { day: "FRIDAY", ...(hours === "24h" ? { is24Hours: true } : { openTime, closeTime }) };
  });
  await load([{ ...whole, openingHours }]);
  expect(await stored()).toMatchObject({ opening_hours: `Fr ${kept}` });
});

test("two sources may use the same id", async () => {
  await load([whole], { source: "one" });
  expect(await load([whole], { source: "two" })).toMatchObject({ created: 1, unchanged: 0 });
});

test.each([null, {}, { lat: null, lng: null }])("coordinates %j are none", async (coordinates) => {
  expect(await load([{ ...whole, coordinates } as ImportRecord])).toMatchObject({
    created: 1,
    pending: 1,
  });
});

test("the times of a closed entry say nothing, not even that the day is open from midnight to midnight", async () => {
  const closed = { day: "FRIDAY", openTime: "00:00", closeTime: "00:00", isClosed: true };
  const dinner = { day: "FRIDAY", openTime: "18:00", closeTime: "23:00" };
  await load([
    { ...whole, openingHours: [closed] },
    named("2", "Jarrold", { openingHours: [closed, dinner] }),
  ]);
  expect(await stored()).toMatchObject({ opening_hours: "Fr off" });
  expect(await stored("2")).toMatchObject({ opening_hours: "Fr 18:00-23:00" });
});

test("an empty address and empty coordinates keep the known ones, and null for both clears them", async () => {
  await load([whole]);
  // As when their field names are misspelt.
  const record = { ...whole, address: {}, coordinates: {} } as ImportRecord;
  expect(await load([record])).toMatchObject({ unchanged: 1, pending: 0, withdrawn: 0 });
  const none = { ...whole, coordinates: { lat: null, lng: null } };
  expect(await load([none])).toMatchObject({ updated: 1, withdrawn: 1 });
  expect(await stored()).toMatchObject({ latitude: null, longitude: null });
});

test.each([
  ["0, 0", { lat: 0, lng: 0 }],
  ["changed places", { lat: 1.2963, lng: 52.6271 }],
  ["Brest", { lat: 48.3904, lng: -4.4861 }],
  ["Lille", { lat: 50.6292, lng: 3.0573 }],
  ["Tórshavn", { lat: 62.0107, lng: -6.7741 }],
  ["Rockall", { lat: 57.5964, lng: -13.6874 }],
  ["Wellington", { lat: -41.2866, lng: 174.7756 }],
])("coordinates outside of the UK are none and counted: %s", async (_, coordinates) => {
  await load([whole]);
  expect(await load([{ ...whole, coordinates }])).toMatchObject({
    updated: 1,
    pending: 1,
    unusable: ["coordinates"],
  });
  expect(await stored()).toMatchObject({ latitude: null, longitude: null });
});

test.each([
  ["St Helier", { lat: 49.1868, lng: -2.1064 }],
  ["Lowestoft", { lat: 52.481, lng: 1.7627 }],
  ["Hirta", { lat: 57.8124, lng: -8.5687 }],
  ["Unst", { lat: 60.8444, lng: -0.8719 }],
])("coordinates of %s are good", async (_, coordinates) => {
  expect(await load([{ ...whole, coordinates }])).toMatchObject({ pending: 0, unusable: [] });
  expect(await stored()).toMatchObject({ latitude: coordinates.lat, longitude: coordinates.lng });
});

test.each<[reason: string, record: object]>([
  ["sourceId is missing", { name: "Boots" }],
  ["name is missing", { sourceId: "1" }],
  ["name must be text", { ...whole, name: 7 }],
  ["coordinates must have both lat and lng", { ...whole, coordinates: { lat: 52 } }],
  ["coordinates must be {lat, lng}", { ...whole, coordinates: "here" }],
  ["coordinates must be {lat, lng}", { ...whole, coordinates: [-1.5, 53.8] }],
  ["address must be {line1, line2, postcode}", { ...whole, address: ["1 High Street", "LS1 1AA"] }],
  ["photos: url is missing", { ...whole, photos: [{}] }],
  ["openingHours: day is missing", { ...whole, openingHours: [{ isClosed: true }] }],
  ["name is missing", { ...whole, name: "\u200b \t" }],
  ["name is longer than 200 characters", { ...whole, name: "x".repeat(201) }],
  ["description is longer than 20000 characters", { ...whole, description: "x".repeat(20_001) }],
  ["rating must be a number between 0 and 5", { ...whole, rating: 5.1 }],
  ["rating must be a number between 0 and 5", { ...whole, rating: "good" }],
  ["reviewCount must be a whole number", { ...whole, reviewCount: 1.5 }],
  ...[-1, 2 ** 31].map((reviewCount): [string, object] => [
    "reviewCount must be a number between 0 and 2147483647",
    { ...whole, reviewCount },
  ]),
  [
    "coordinates.lat must be a number between -90 and 90: degrees of WGS 84, not metres of the national grid",
    { ...whole, coordinates: { lat: 91, lng: 0 } },
  ],
  [
    "slug must be lower-case letters, digits and single hyphens, at most 120",
    { ...whole, slug: "x".repeat(121) },
  ],
  ["isClaimed must be true or false", { ...whole, isClaimed: "yes" }],
  ["status must be one of pending, approved, rejected, suspended", { ...whole, status: "open" }],
  ["photos: url must begin with http:// or https://", { ...whole, photos: [{ url: "x.jpg" }] }],
  ["photos: url must begin with http:// or https://", { ...whole, photos: [{ url: "https://" }] }],
  [
    "photos: url has invisible characters",
    { ...whole, photos: [{ url: "https://x.example/\u0000" }] },
  ],
  [
    "photos: at most one can be the cover",
    { ...whole, photos: [1, 2].map((n) => ({ url: `https://x.example/${n}`, isCover: true })) },
  ],
  [
    "photos: there are more than 200",
    { ...whole, photos: Array(201).fill({ url: "https://x.example/1" }) },
  ],
  [
    "openingHours: day must be a weekday such as MONDAY",
    { ...whole, openingHours: [{ day: "Mo" }] },
  ],
  [
    "openingHours: a day that is open needs openTime and closeTime, or is24Hours",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "09:00", closeTime: "" }] },
  ],
  [
    "openingHours: a day cannot be closed and open for 24 hours",
    { ...whole, openingHours: [{ day: "MONDAY", isClosed: true, is24Hours: true }] },
  ],
  [
    "openingHours: there are more than 100 entries",
    { ...whole, openingHours: Array(101).fill({ day: "MONDAY", isClosed: true }) },
  ],
  [
    "openingHours: openTime must be a time such as 09:30",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "9am", closeTime: "17:00" }] },
  ],
  [
    "openingHours: openTime must be a time such as 09:30",
    // Where a day ends another begins: this is Tuesday's.
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "24:00", closeTime: "02:00" }] },
  ],
  [
    "openingHours: closeTime must be a time such as 09:30",
    { ...whole, openingHours: [{ day: "MONDAY", openTime: "09:00", closeTime: "24:30" }] },
  ],
  [
    "category chemists is unknown: use a slug that /api/v1/categories lists, replace it in a mapping, or add it with --categories",
    { ...whole, category: "chemists" },
  ],
])("rejects with the reason: %s", async (reason, record) => {
  const result = await load([record, named("2", "The next one")]);
  expect(result).toMatchObject({ read: 2, created: 1, rejected: 1 });
  expect(result.reasons).toEqual([reason]);
});

test("text that PostgreSQL cannot store is cleaned, not refused", async () => {
  await load([named("1", "Bo\u0000ots \ud800!", { description: "a\u0000\r\nb\u0007" })]);
  expect(await stored()).toMatchObject({ name: "Boots \ufffd!", description: "a\nb" });
});

test("no text, however odd, breaks an import", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom("\u0000", "\ud800", "a\ud800@b.example", "x.example/\u0000", "\\", "'\"\t"),
  );
  const records = fc.sample(
    fc.record(
      {
        sourceId: fc.tuple(text, fc.uuid()).map((parts) => parts.join("")),
        name: text.map((part) => `Shop ${part}`),
        city: text,
        shortDescription: text,
        description: text,
        address: fc.record({ line1: text, line2: text, postcode: text }),
        phone: text,
        email: fc.oneof(
          text,
          text.map((part) => `${part}@b.example`),
        ),
        website: fc.oneof(
          text,
          text.map((part) => `https://b.example/${part}`),
        ),
        photos: fc.array(
          fc.record({ url: text.map((part) => `https://b.example/${part}`), caption: text }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ["sourceId", "name"] },
    ),
    { numRuns: 1_000, seed: 7 },
  );
  const counts = await load(records);
  expect(counts.created + counts.unchanged + counts.rejected).toBe(1_000);
  expect(counts.created).toBeGreaterThan(500);
});

test("a dry run counts everything and keeps nothing", async () => {
  expect(await load([whole, named("2", "")], { dryRun: true })).toMatchObject({
    created: 1,
    rejected: 1,
  });
  expect(await stored()).toBeUndefined();
  expect((await database.sql`select from cities`).length).toBe(0);
});

test("a feed that fails part-way leaves nothing", async () => {
  async function* broken() {
    for (let i = 0; i < 6_000; i++) yield named(String(i), `Shop ${i}`);
    throw new Error("the line went dead");
  }
  const importing = importRecords(database.sql, broken(), { source: "test" });
  // Bun waits in `rejects` without its usual turns.
  const error = await importing.catch((error) => error);
  expect(String(error)).toContain("the line went dead");
  expect((await database.sql`select from businesses limit 1`).length).toBe(0);
});

test("two concurrent imports never give two businesses the same slug", async () => {
  // If it were new, the second to add it would wait for the first.
  await database.sql`insert into cities (slug, name) values ('norwich', 'Norwich')`;
  const batch = Promise.withResolvers<unknown>();
  let other: ReturnType<typeof load> | undefined;
  async function* feed() {
    // A whole batch, which is taken before the feed has ended.
    for (let i = 0; i < 10_000; i++) yield named(String(i), i === 0 ? "Boots" : `Shop ${i}`);
    // The slug is given, but only this import knows.
    await batch.promise;
    other = load([named("1", "Boots")], { source: "other" });
    await untilBlocked(database.sql);
  }
  const options = { source: "test", onProgress: batch.resolve };
  const counts = await importRecords(database.sql, feed(), options);
  expect([counts.created, (await other)?.created]).toEqual([10_000, 1]);
  const slugs = await database.sql`
    select source, slug from businesses where name = 'Boots' order by source desc`;
  expect([...slugs]).toEqual([
    { source: "test", slug: "boots-norwich" },
    { source: "other", slug: "boots-norwich-nr1" },
  ]);
});

test("concurrent imports of the same categories add them once, and none fails", async () => {
  const records = Array.from({ length: 100 }, (_, n) => ({ slug: `twin-${n}`, name: `Twin ${n}` }));
  const counts = await Promise.all([1, 2, 3, 4].map(() => importCategories(database.sql, records)));
  expect(counts.map(({ created }) => created).sort((a, b) => b - a)).toEqual([100, 0, 0, 0]);
});

test("more categories are imported at once than a statement has parameters for", async () => {
  const records = Array.from({ length: 22_000 }, (_, n) => ({ slug: `many-${n}`, name: `N${n}` }));
  const counts = await importCategories(database.sql, records, { dryRun: true });
  expect(counts).toEqual({ read: 22_000, created: 22_000, updated: 0, unchanged: 0 });
}, 30_000);

test.each<[second: object, third: object, isOther: boolean]>([
  [{ parent: "bakeries" }, { parent: "pharmacies" }, true],
  [{ parent: "bakeries" }, { parent: null }, true],
  [{ parent: null }, { parent: "bakeries" }, true],
  [{ isActive: false }, { isActive: true }, true],
  [{ name: "Own" }, { name: "Other" }, true],
  [{ parent: "bakeries" }, { isActive: true }, false],
  [{ parent: "" }, { parent: null }, false],
  [{ isActive: null }, { isActive: false }, false],
])(
  "a category of which one row says %j and another %j contradicts itself: %p",
  async (second, third, isOther) => {
    const rows = [{}, second, {}, third].map((more) => ({
      slug: "own-kind",
      name: "Own",
      ...more,
    }));
    const error = await importCategories(database.sql, rows, { dryRun: true }).catch(
      (error) => error,
    );
    expect(error instanceof CategoryFault).toBe(isOther);
  },
);

test("a category's ancestors come root first, and an empty parent is none", async () => {
  const names = ["Kingdom", "Phylum", "Class"];
  const [kingdom, phylum, above] = names.map((name) => ({ slug: name.toLowerCase(), name }));
  await importCategories(database.sql, [
    { slug: "kingdom", name: "Kingdom", parent: "" },
    { slug: "phylum", name: "Phylum", parent: "kingdom" },
    { slug: "class", name: "Class", parent: "phylum" },
    { slug: "order", name: "Order", parent: "class" },
  ]);
  const all = await listCategories(database.sql);
  expect(all.find(({ slug }) => slug === "kingdom")).toMatchObject({ parent: null, parents: [] });
  expect(all.find(({ slug }) => slug === "order")).toMatchObject({
    parent: above,
    parents: [kingdom, phylum, above],
  });
});

test("spellings of a town are one city, also when an operator has changed its slug", async () => {
  await database.sql`insert into cities (slug, name) values ('hull', 'Kingston upon Hull')`;
  await load([
    named("1", "A", { city: "NEWCASTLE UPON TYNE" }),
    named("2", "B", { city: "Newcastle-Upon-Tyne, Tyne & Wear" }),
    named("3", "C", { city: "KINGSTON UPON HULL" }),
  ]);
  const cities = await database.sql`select slug, name from cities order by slug`;
  expect([...cities]).toEqual([
    { slug: "hull", name: "Kingston upon Hull" },
    { slug: "newcastle-upon-tyne", name: "Newcastle upon Tyne" },
  ]);
  expect(await stored("3")).toMatchObject({ slug: "c-hull", city: "Kingston upon Hull" });
});

test("a new city gets the commonest spelling of its first batch, or else the first", async () => {
  const spellings = [
    "Bury-St-Edmunds",
    "Bury St. Edmunds",
    "BURY ST EDMUNDS",
    "St Ives",
    "St-Ives",
  ];
  await load(spellings.map((city, place) => named(`${place}`, "A", { city })));
  const cities = await database.sql`select slug, name from cities order by slug`;
  expect([...cities]).toEqual([
    { slug: "bury-st-edmunds", name: "Bury St Edmunds" },
    { slug: "st-ives", name: "St Ives" },
  ]);
  await load([named("9", "A", { city: "St-Ives" })]);
  expect(await stored("9")).toMatchObject({ city: "St Ives" });
});

test("a city whose slug an operator has changed is found however a feed spells its name", async () => {
  await database.sql`insert into cities (slug, name) values ('verulam', 'St. Albans')`;
  await load([
    named("1", "A", { city: "St. Albans" }),
    named("2", "B", { city: "Saint Albans" }),
    named("3", "C", { city: "ST ALBANS" }),
  ]);
  const cities = await database.sql`select slug, name from cities`;
  expect([...cities]).toEqual([{ slug: "verulam", name: "St. Albans" }]);
});

test("a city that an operator has added counts although its name looks like a street or a county", async () => {
  const cities = [
    { slug: "wood-street", name: "Wood Street" },
    { slug: "avon-village", name: "Avon" },
  ];
  await database.sql`insert into cities ${database.sql(cities)}`;
  await load([
    named("1", "A", { city: "Wood  Street " }),
    named("2", "B", { city: "Avon" }),
    named("3", "C", { city: "Old Wood Street" }),
  ]);
  expect(await stored("1")).toMatchObject({ status: "approved", city: "Wood Street" });
  expect(await stored("2")).toMatchObject({ status: "approved", city: "Avon" });
  expect(await stored("3")).toMatchObject({ status: "pending", city: null });
});

test("a business without coordinates, and only such a one, is placed at the centre of its outcode", async () => {
  const outcodes = new Map([["NR1", { latitude: 52.6, longitude: 1.3 }]]);
  await load([{ ...whole, coordinates: null }, named("2", "Exact")], { outcodes });
  expect(await stored("1")).toMatchObject({ status: "approved", latitude: 52.6, longitude: 1.3 });
  expect(await stored("2")).toMatchObject({ latitude: 52.6271 });
  const { coordinates: _, ...unplaced } = named("2", "Exact");
  expect(await load([unplaced], { outcodes })).toMatchObject({ unchanged: 1 });
});

test("coordinates from an outcode follow a new one, and are lost when that is unknown", async () => {
  const [norwich, penzance] = [
    { latitude: 52.6, longitude: 1.3 },
    { latitude: 50.1, longitude: -5.5 },
  ];
  const outcodes = new Map([
    ["NR1", norwich],
    ["TR18", penzance],
  ]);
  const { coordinates, ...unplaced } = whole;
  const exact = { latitude: coordinates?.lat, longitude: coordinates?.lng };
  const move = (record: Partial<ImportRecord>, postcode: string) =>
    load([{ ...record, address: { ...whole.address, postcode } }], { outcodes });

  await load([unplaced], { outcodes });
  await move(unplaced, "NR1 1AA");
  expect(await stored()).toMatchObject({ status: "approved", ...norwich });
  await move(unplaced, "TR18 2AA");
  expect(await stored()).toMatchObject({ status: "approved", ...penzance });
  expect(await move(unplaced, "ZE1 0AA")).toMatchObject({ updated: 1, pending: 1 });
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
  await move(unplaced, "NR1 3DD");
  expect(await stored()).toMatchObject({ status: "approved", ...norwich });

  // Coordinates given by a record stay, also when the postcode changes to one nearby.
  await move(whole, "TR18 2AA");
  await move(unplaced, "TR18 9ZZ");
  expect(await stored()).toMatchObject({ status: "approved", ...exact });
});

test("a business that moves to another outcode without new coordinates loses the old ones", async () => {
  const { coordinates: _, ...unplaced } = whole;
  const at = (postcode: string | null) => [
    { ...unplaced, address: { ...whole.address, postcode } },
  ];
  const exact = { latitude: 52.6271, longitude: 1.2963 };

  // Learning a postcode is no move.
  await load([{ ...whole, address: { line1: "19 Castle Quarter" } }]);
  await load(at("NR1 3DD"));
  expect(await stored()).toMatchObject({ status: "approved", ...exact });

  expect(await load(at("TR18 2AA"))).toMatchObject({ updated: 1, pending: 1 });
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
  expect(await load(at("TR18 2AA"))).toMatchObject({ unchanged: 1, pending: 1 });

  await load([whole]);
  const penzance = { latitude: 50.1, longitude: -5.5 };
  await load(at("TR18 2AA"), { outcodes: new Map([["TR18", penzance]]) });
  expect(await stored()).toMatchObject({ status: "approved", ...penzance });

  await load([whole]);
  await load(at(null));
  expect(await stored()).toMatchObject({ status: "pending", latitude: null, longitude: null });
});

test("lists, totals and search follow an import", async () => {
  await load([whole, named("2", "Jarrold", { category: "department-stores" })]);
  const total = async (category: string) =>
    (await listBusinesses(database.sql, { city: "norwich", category, offset: 0, limit: 1 })).total;
  expect(await total("pharmacies")).toBe(1);
  await load([{ ...whole, category: "department-stores" }]);
  expect(await total("pharmacies")).toBe(0);
  expect(await total("general-shops")).toBe(2);
  const changes = await database.sql`select distinct business_id from search_changes`;
  expect(changes.length).toBe(2);
});

test("an import may take long, whatever timeouts its role has", async () => {
  await using own = await createDatabase();
  const { sql, url } = own;
  const name = new URL(url).pathname.slice(1);
  for (const limit of [
    "statement_timeout",
    "transaction_timeout",
    "idle_in_transaction_session_timeout",
  ]) {
    await sql.unsafe(`alter database ${name} set ${limit} = '200ms'`);
  }
  const limited = openPostgres(url, { max: 2 });
  async function* slowly() {
    yield whole;
    await Bun.sleep(500);
  }
  const counts = await delayedBy(
    sql,
    (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    () =>
      Promise.all([
        importRecords(limited, slowly(), { source: "slow" }),
        importCategories(limited, [{ slug: "own-kind", name: "Own kind" }]),
      ]),
    { connections: 2, meanwhile: () => Bun.sleep(500) },
  );
  expect(counts).toMatchObject([{ created: 1 }, { created: 1 }]);
  await limited.end();
});

test("categories can be imported while an operator renames one and moves it", async () => {
  await using own = await createDatabase();
  const { sql } = own;
  await importCategories(sql, [
    { slug: "own-kind", name: "Own kind" },
    { slug: "own-other", name: "Own other" },
  ]);
  const counts = await delayedBy(
    sql,
    (operator) => operator`update categories set name = 'Renamed' where slug = 'own-kind'`,
    () => importCategories(sql, [{ slug: "own-other", name: "Imported" }]),
    {
      meanwhile: (operator) => operator`
        update categories set parent_id = (select id from categories where slug = 'own-other')
        where slug = 'own-kind'`,
    },
  );
  expect(counts).toMatchObject({ updated: 1 });
});
