import { afterAll, expect, test } from "bun:test";
import { countApproved, listBusinesses } from "../../src/directory/listing.ts";
import { listSlugs } from "../../src/directory/sitemap.ts";
import type { Handler } from "../../src/http/handler.ts";
import { respond } from "../../src/http/respond.ts";
import { sitemap, sitemapIndex } from "../../src/site/sitemap.ts";
import { addBusiness, addTowns } from "../fixtures.ts";
import { createContext, createDatabase } from "../support.ts";

const COUNT = 6_000;
const database = await createDatabase();
const { sql } = database;
const { id } = await addBusiness(sql);
await sql`
  insert into businesses (
    slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude, rating)
  select 'shop-' || n, 'Shop ' || n, 'approved', category_id, city_id, address_line1, postcode,
    latitude, longitude, n % 50 / 10.0
  from businesses, generate_series(2, ${COUNT}::integer) as n
  where id = ${id}`;
await sql`select compact_listing_counts()`;
afterAll(() => database.drop());

test("parts hold every business once, in list order, across chunks", async () => {
  const { sql } = database;
  const chunks = await sql`
    select from listing_counts where category_id = 0 and city_id = 0 group by from_rank, from_id`;
  expect(chunks.length).toBeGreaterThan(2);
  expect(await countApproved(sql)).toBe(COUNT);
  const seen: string[] = [];
  for (let offset = 0; offset <= COUNT; offset += 700) {
    const part = await listSlugs(sql, { offset, limit: 700 });
    expect(part.length).toBe(Math.min(700, COUNT - offset));
    seen.push(...part.map(({ slug }) => slug));
  }
  const { businesses } = await listBusinesses(sql, { offset: 0, limit: COUNT });
  expect(seen).toEqual(businesses.map(({ slug }) => slug));
  expect(new Set(seen).size).toBe(COUNT);
});

test("no business is updated at a time that a sitemap cannot show", async () => {
  for (const time of ["infinity", "-infinity", "0044-03-15 BC", "1066-10-14Z", "10000-01-01Z"]) {
    const insert = sql`
      insert into businesses (slug, name, updated_at)
      values ('out-of-time', 'Out of time', ${time}::text::timestamptz)`;
    await expect(insert).rejects.toThrow("updated_at_is_from_1970_to_9999");
  }
});

test("XML special characters in the base address are escaped", async () => {
  const { sql } = database;
  const baseUrl = "https://directory.example/shops&trades";
  const request = new Request("http://localhost/");
  for (const [handler, segment, path] of [
    [sitemapIndex(sql, baseUrl), "", "/sitemaps/places.xml"],
    [sitemap(sql, baseUrl), "places.xml", "/cities"],
    [sitemap(sql, baseUrl), "cities-1.xml", "/cities/leeds"],
    [sitemap(sql, baseUrl), "businesses-1.xml", "/businesses/shop-2"],
  ] as const) {
    const answer = await handler(request, { ...createContext(), segment });
    const xml = await respond(request, answer).text();
    expect(xml).toContain(`<loc>https://directory.example/shops&amp;trades${path}</loc>`);
  }
});

test("a file has up to ten thousand towns, the next one the others", async () => {
  const { sql } = database;
  await addTowns(sql, 10_000);
  const request = new Request("http://localhost/");
  const read = async (handler: Handler, segment: string) => {
    const answer = await handler(request, { ...createContext(), segment });
    return respond(request, answer).text();
  };
  const index = await read(sitemapIndex(sql, ""), "");
  expect(index.match(/cities-\d+/g)).toEqual(["cities-1", "cities-2"]);
  const files = ["cities-1.xml", "cities-2.xml"].map((name) => read(sitemap(sql, ""), name));
  const towns = (await Promise.all(files)).map((file) => file.match(/\/cities\/[^<]+/g) ?? []);
  expect(towns.map(({ length }) => length)).toEqual([10_000, 1]);
  expect(new Set(towns.flat()).size).toBe(10_001);
});
