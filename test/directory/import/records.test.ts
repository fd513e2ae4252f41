import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { listBusinesses } from "../../../src/directory/listing.ts";
import { named, openDirectory, whole } from "./directory.ts";

// What the fields of a record do to its business.

const { sql, load, stored } = await openDirectory();

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

test("importing the same again changes nothing and writes nothing", async () => {
  const feed = [
    whole,
    named("2", "Jarrold", { phone: "ask", coordinates: null }),
    named("3", "A", { rating: 4.256 }),
  ];
  await load(feed);
  const before = await sql`select id, xmin::text, updated_at from businesses order by id`;
  await sql`truncate search_changes`;

  const again = await load(feed);

  expect(again).toMatchObject({ read: 3, created: 0, updated: 0, unchanged: 3, pending: 1 });
  expect([...(await sql`select id, xmin::text, updated_at from businesses order by id`)]).toEqual([
    ...before,
  ]);
  expect((await sql`select from search_changes`).length).toBe(0);
  expect((await stored("3"))?.rating).toBe(4.26);
});

test("two sources may use the same id", async () => {
  await load([whole], { source: "one" });
  expect(await load([whole], { source: "two" })).toMatchObject({ created: 1, unchanged: 0 });
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
    const page = await listBusinesses(sql, { offset: 0, limit: 20, city: "norwich" });
    expect(page.total).toBe(1);
    expect(await load([{ ...whole, address, city: "Norwich" }])).toMatchObject({ unchanged: 1 });
  }
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
