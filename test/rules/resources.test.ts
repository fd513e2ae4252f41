import { afterAll, describe, expect, test } from "bun:test";
import * as v from "valibot";
import { until } from "../../scripts/stack/waiting.ts";
import type { ListedBusiness } from "../../src/directory/listed.ts";
import type { OpeningHours } from "../../src/directory/schemas.ts";
import * as schemas from "../../src/directory/schemas.ts";
import { openListItem } from "../../src/directory/shapes.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";

// The fields of every answer, their types, and the order of lists.

const photos = [
  { url: "https://images.example/1.jpg", caption: "The shop", isCover: true },
  { url: "https://images.example/2.jpg", caption: "", isCover: false },
];
const openingHours: OpeningHours[] = [
  { day: "MONDAY", openTime: "09:00", closeTime: "12:30", isClosed: false, is24Hours: false },
  { day: "MONDAY", openTime: "13:30", closeTime: "17:00", isClosed: false, is24Hours: false },
  { day: "FRIDAY", openTime: "18:00", closeTime: "02:00", isClosed: false, is24Hours: false },
  { day: "SATURDAY", openTime: "", closeTime: "", isClosed: false, is24Hours: true },
  { day: "SUNDAY", openTime: "", closeTime: "", isClosed: true, is24Hours: false },
];

// The database accepts photos with further fields, which are not published.
const stored = { photos: photos.map((photo) => ({ ...photo, licence: "CC0" })), openingHours };

const server = await startTestServer();
const key = await server.issueKey();
const bearer = { headers: { Authorization: `Bearer ${key}` } };
const { sql } = server;
await addBusiness(sql, {
  slug: "claimed-shop",
  name: "The Claimed Shop",
  isClaimed: true,
  isVerified: true,
  isPremium: true,
  ...stored,
  addressLine2: "Top floor",
  rating: 4.25,
  reviewCount: 7,
});
await addBusiness(sql, {
  slug: "unclaimed-shop",
  name: "The Unclaimed Shop",
  isVerified: true,
  phone: "0161 496 0999",
  ...stored,
});
await addBusiness(sql, {
  slug: "bare-shop",
  phone: "",
  email: "",
  website: "",
  shortDescription: "",
  description: "",
  rating: 0,
  reviewCount: 0,
});
await addBusiness(sql, {
  slug: "bare-claimed-shop",
  phone: "",
  email: "",
  website: "",
  shortDescription: "",
  description: "",
  isClaimed: true,
});
afterAll(() => server.stop());

const get = async (path: string, init?: RequestInit) => {
  const response = await fetch(server.url + path, init);
  // biome-ignore lint/suspicious/noExplicitAny: the schemas check the shape
  return { status: response.status, body: (await response.json()) as any };
};
const listed = async (slug: string) => {
  const { body } = await get("/api/v1/businesses?city=leeds");
  return body.businesses.find((item: { slug: string }) => item.slug === slug);
};

describe("open list item", () => {
  test("every item has exactly the documented fields, each of its type", async () => {
    const { body } = await get("/api/v1/businesses?city=leeds");
    expect(body.businesses.length).toBe(4);
    for (const item of body.businesses) v.parse(schemas.OpenListItem, item);
    expect(await listed("unclaimed-shop")).toEqual({
      id: expect.any(String),
      name: "The Unclaimed Shop",
      slug: "unclaimed-shop",
      category: "plumbers",
      city: "Leeds",
      rating: 4.5,
      reviewCount: 10,
      phone: "0161 496 ****",
      website: "https://shop.example/",
      isVerified: true,
    });
  });
  test("the phone of an unclaimed listing is masked, that of a claimed one is whole", async () => {
    expect((await listed("unclaimed-shop")).phone).toBe("0161 496 ****");
    expect((await listed("claimed-shop")).phone).toBe("0113 496 0123");
  });
  test("a phone is null when there is none", async () => {
    expect((await listed("bare-shop")).phone).toBeNull();
  });
});

test("masking: the last four digits become asterisks, separators stay", () => {
  const masked = (phone: string) =>
    openListItem({ phone, isClaimed: false } as ListedBusiness).phone;
  expect(masked("0161 496 0999")).toBe("0161 496 ****");
  expect(masked("020 7946 0018")).toBe("020 7946 ****");
  expect(masked("+44 (0)161-49-6-09-99")).toBe("+44 (0)161-49-6-**-**");
  expect(masked("123")).toBe("***");
  expect(masked("０１６１ ４９６ ０９９９")).toBe("０１６１ ４９６ ****");
  // An extension does not count as the last digits of the number.
  expect(masked("0044 (0)161 496 0999")).toBe("0044 (0)161 496 ****");
  expect(masked("0161 496 0998 / 0161 496 0999")).toBe("**** *** **** / **** *** ****");
  expect(masked("01632 960123 x1234")).toBe("01632 96**** x****");
  expect(masked("01632 960123 x4")).toBe("01632 96**** x*");
  expect(masked("01632 960123X4")).toBe("01632 96****X*");
});

test("an open page has exactly businesses, total, page and pages", async () => {
  const { body } = await get("/api/v1/businesses?city=leeds&limit=3&page=2");
  v.parse(schemas.OpenPage, body);
  expect({ ...body, businesses: body.businesses.length }).toEqual({
    businesses: 1,
    total: 4,
    page: 2,
    pages: 2,
  });
});

describe("open detail", () => {
  test("an unclaimed business has exactly the documented fields except phone and email", async () => {
    const { status, body } = await get("/api/v1/businesses/unclaimed-shop");
    expect(status).toBe(200);
    v.parse(v.omit(schemas.OpenBusiness, ["phone", "email"]), body);
    expect(Object.keys(body)).not.toContain("phone");
    expect(Object.keys(body)).not.toContain("email");
    expect(body).toMatchObject({ isVerified: true, isPremium: false });
  });
  test("a claimed business has exactly the documented fields, phone and email included", async () => {
    const { body } = await get("/api/v1/businesses/claimed-shop");
    v.parse(v.required(schemas.OpenBusiness, ["phone", "email"]), body);
    expect(body).toEqual({
      id: expect.any(String),
      name: "The Claimed Shop",
      slug: "claimed-shop",
      shortDescription: "A shop for tests.",
      description: "A shop that is here for tests, and for nothing else.",
      category: "Plumbers",
      categorySlug: "plumbers",
      city: "Leeds",
      citySlug: "leeds",
      address: { line1: "1 Briggate", line2: "Top floor", postcode: "LS1 6HD" },
      coordinates: { lat: 53.7974, lng: -1.5438 },
      phone: "0113 496 0123",
      email: "hello@shop.example",
      website: "https://shop.example/",
      rating: 4.25,
      reviewCount: 7,
      isVerified: true,
      isPremium: true,
      photos,
      // Split shifts, past midnight, 24 hours and closed days as stored.
      openingHours,
    });
  });
});

test("a keyed list item has exactly the documented fields", async () => {
  const { body } = await get("/api/v1/businesses?city=leeds", bearer);
  expect(body.data.length).toBe(4);
  for (const item of body.data) v.parse(schemas.KeyedListItem, item);
  expect(body.data[0].isPremium).toBe(true);
  expect(body.data[1]).toEqual({
    slug: "unclaimed-shop",
    name: "The Unclaimed Shop",
    shortDesc: "A shop for tests.",
    cityName: "Leeds",
    postcode: "LS1 6HD",
    averageRating: 4.5,
    reviewCount: 10,
    isPremium: false,
    isVerified: true,
    categorySlug: "plumbers",
  });
});

test("a keyed page has exactly data and meta", async () => {
  const { body } = await get("/api/v1/businesses?city=leeds&per_page=3", bearer);
  v.parse(schemas.KeyedPage, body);
  expect(body.meta).toEqual({ page: 1, per_page: 3, total: 4, has_more: true });
});

test("a category has its parent, its parents, root first, and a business count", async () => {
  await server.sql`
    insert into categories (slug, name, parent_id)
    select 'drain-menders', 'Drain menders', id from categories where slug = 'plumbers'`;
  await until(async () => (await category("drain-menders")) !== undefined, 1_000);
  const [trades, plumbers] = [
    { slug: "building-trades", name: "Building trades" },
    { slug: "plumbers", name: "Plumbers" },
  ];
  expect(await category("drain-menders")).toMatchObject({
    parent: plumbers,
    parents: [trades, plumbers],
  });
  expect(await category("plumbers")).toEqual({
    ...plumbers,
    parent: trades,
    parents: [trades],
    businessCount: 4,
  });
});
async function category(slug: string) {
  const { body } = await get("/api/v1/categories", bearer);
  v.parse(schemas.CategoryList, body);
  return body.data.find((category: { slug: string }) => category.slug === slug);
}

test("a search result is a page of keyed list items with query, limit and total", async () => {
  for (const slug of ["claimed-shop", "bare-claimed-shop"]) await server.searchable(slug);
  const { status, body } = await get("/api/v1/search?q=test+shop&limit=1", bearer);
  expect(status).toBe(200);
  v.parse(schemas.SearchResults, body);
  expect(body.meta).toEqual({ query: "test shop", limit: 1, total: 2 });
  expect(body.data.length).toBe(1);
});

test("the keyed detail is the full record, with phone and email even if unclaimed", async () => {
  const { body } = await get("/api/v1/businesses/unclaimed-shop", bearer);
  v.parse(schemas.KeyedBusiness, body);
  expect(body.data).toEqual({
    id: expect.any(String),
    slug: "unclaimed-shop",
    name: "The Unclaimed Shop",
    shortDesc: "A shop for tests.",
    description: "A shop that is here for tests, and for nothing else.",
    category: {
      slug: "plumbers",
      name: "Plumbers",
      parent: { slug: "building-trades", name: "Building trades" },
    },
    categorySlug: "plumbers",
    cityName: "Leeds",
    citySlug: "leeds",
    address: { line1: "1 Briggate", line2: null, postcode: "LS1 6HD" },
    postcode: "LS1 6HD",
    coordinates: { lat: 53.7974, lng: -1.5438 },
    phone: "0161 496 0999",
    email: "hello@shop.example",
    website: "https://shop.example/",
    averageRating: 4.5,
    reviewCount: 10,
    isPremium: false,
    isVerified: true,
    isClaimed: false,
    photos,
    openingHours,
    updatedAt: expect.any(String),
  });
});

test("updatedAt is when the business was last changed", async () => {
  const { sql } = server;
  const changed = { slug: "unclaimed-shop" };
  const updatedAt = async () =>
    (await get(`/api/v1/businesses/${changed.slug}`, bearer)).body.data.updatedAt;
  await sql`update businesses set review_count = review_count where slug = ${changed.slug}`;
  const [row] = await sql<[{ updatedAt: Date }]>`
    select updated_at as "updatedAt" from businesses where slug = ${changed.slug}`;
  await until(async () => (await updatedAt()) === row.updatedAt.toISOString(), 1_000);
});

test("types hold: an unknown value is an empty string, never null", async () => {
  const open = (await get("/api/v1/businesses/bare-claimed-shop")).body;
  v.parse(v.required(schemas.OpenBusiness, ["phone", "email"]), open);
  expect(open).toMatchObject({ phone: "", email: "", website: "", description: "" });
  v.parse(schemas.KeyedBusiness, (await get("/api/v1/businesses/bare-shop", bearer)).body);
});

describe("the database refuses to approve what is incomplete", () => {
  for (const column of ["category_id", "city_id", "latitude", "address_line1", "postcode"]) {
    test(`approval needs ${column}`, async () => {
      const { sql } = server;
      const { id } = await addBusiness(sql, { status: "pending" });
      const gap = column.startsWith("address") || column === "postcode" ? "" : null;
      await sql`update businesses set ${sql({ [column]: gap, ...(column === "latitude" && { longitude: null }) })} where id = ${id}`;
      await expect(
        sql`update businesses set status = 'approved' where id = ${id}`.execute(),
      ).rejects.toThrow("approved_is_complete");
    });
  }

  test("a latitude needs a longitude", async () => {
    const { id } = await addBusiness(server.sql, { status: "pending" });
    const halve = server.sql`update businesses set longitude = null where id = ${id}`;
    await expect(halve.execute()).rejects.toThrow("check constraint");
  });
});

test("lists are ordered by premium, rating, review count, then id, at every depth", async () => {
  const { sql } = server;
  for (let number = 0; number < 30; number++) {
    // With a category and names that no other test counts.
    await addBusiness(sql, {
      name: `Florist ${number}`,
      category: "florists",
      city: "Ordertown",
      isPremium: number % 5 === 0,
      rating: 4 + (number % 3) / 100,
      reviewCount: number % 2,
    });
  }
  const expected = await sql<{ slug: string }[]>`
    select b.slug from businesses b join cities c on c.id = b.city_id where c.slug = 'ordertown'
    order by is_premium desc, rating desc, review_count desc, b.id`;
  const seen: string[] = [];
  for (let page = 1; page <= 5; page++) {
    const { body } = await get(`/api/v1/businesses?city=ordertown&page=${page}&limit=7`);
    expect(body.total).toBe(30);
    seen.push(...body.businesses.map((item: { slug: string }) => item.slug));
  }
  expect(seen).toEqual(expected.map(({ slug }) => slug));
});

test("ids are UUIDv7", async () => {
  const { body } = await get("/api/v1/businesses");
  expect(body.businesses[0].id[14]).toBe("7");
});
