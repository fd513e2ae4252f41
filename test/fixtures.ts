import type { ApiKey } from "../src/access/keys.ts";
import { formatOpeningHours } from "../src/directory/opening-hours.ts";
import type { OpeningHours } from "../src/directory/schemas.ts";
import { makeSlug } from "../src/directory/slug.ts";
import type { Sql } from "../src/store/postgres.ts";

/** What a test may set of a business; the defaults are complete, so that it can be approved. */
export interface BusinessFixture {
  slug: string;
  name: string;
  status: "pending" | "approved" | "rejected" | "suspended";
  /** Slug of a category of the taxonomy. */
  category: string;
  /** Display name of a city, which is created if it does not exist. */
  city: string;
  phone: string;
  email: string;
  website: string;
  shortDescription: string;
  description: string;
  addressLine1: string;
  addressLine2: string | null;
  postcode: string;
  rating: number;
  reviewCount: number;
  isClaimed: boolean;
  isVerified: boolean;
  isPremium: boolean;
  photos: { url: string; caption: string; isCover: boolean }[];
  openingHours: OpeningHours[];
}

let made = 0;

/** Adds a business to the directory. @returns its id and slug */
export async function addBusiness(
  sql: Sql,
  given: Partial<BusinessFixture> = {},
): Promise<{ id: string; slug: string }> {
  const number = ++made;
  const business: BusinessFixture = {
    slug: `the-test-shop-${number}`,
    name: `The Test Shop ${number}`,
    status: "approved",
    category: "plumbers",
    city: "Leeds",
    phone: "0113 496 0123",
    email: "hello@shop.example",
    website: "https://shop.example/",
    shortDescription: "A shop for tests.",
    description: "A shop that is here for tests, and for nothing else.",
    addressLine1: "1 Briggate",
    addressLine2: null,
    postcode: "LS1 6HD",
    rating: 4.5,
    reviewCount: 10,
    isClaimed: false,
    isVerified: false,
    isPremium: false,
    photos: [],
    openingHours: [],
    ...given,
  };
  const citySlug = makeSlug(business.city);
  await sql`insert into cities (slug, name) values (${citySlug}, ${business.city}) on conflict do nothing`;
  const [place] = await sql<{ categoryId: number; cityId: number }[]>`
    select categories.id as "categoryId", cities.id as "cityId" from categories, cities
    where categories.slug = ${business.category} and cities.name = ${business.city}`;
  if (!place) throw new Error(`There is no category ${business.category}`);
  const [row] = await sql<[{ id: string; slug: string }]>`
    insert into businesses ${sql({
      slug: business.slug,
      name: business.name,
      status: business.status,
      category_id: place.categoryId,
      city_id: place.cityId,
      phone: business.phone,
      email: business.email,
      website: business.website,
      short_description: business.shortDescription,
      description: business.description,
      address_line1: business.addressLine1,
      address_line2: business.addressLine2,
      postcode: business.postcode,
      latitude: 53.7974,
      longitude: -1.5438,
      rating: business.rating,
      review_count: business.reviewCount,
      is_claimed: business.isClaimed,
      is_verified: business.isVerified,
      is_premium: business.isPremium,
      photos: sql.json(business.photos),
      opening_hours: formatOpeningHours(business.openingHours),
    })}
    returning id, slug`;
  return row;
}

/** Adds `count` copies of a business in one statement: `NAME 1`, with the slug `NAME-1`, and so on. */
export async function copyBusiness(sql: Sql, id: string, name: string, count = 1): Promise<void> {
  await sql`
    insert into businesses (
      slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
    select ${name} || '-' || n, ${name} || ' ' || n, 'approved', category_id, city_id,
      address_line1, postcode, latitude, longitude
    from businesses, generate_series(1, ${count}::integer) as n
    where id = ${id}`;
}

/** Adds `count` towns with one plumber each, half of them beginning with A, half with M; and Leeds, with one. */
export async function addTowns(sql: Sql, count: number): Promise<void> {
  const { id } = await addBusiness(sql);
  await sql`
    insert into cities (slug, name)
    select lower(name), name
    from (
      select case n % 2 when 0 then 'Abury' else 'Mbury' end || n
      from generate_series(1, ${count}::integer) as n
    ) as town (name)`;
  await sql`
    insert into businesses (
      slug, name, status, category_id, city_id, address_line1, postcode, latitude, longitude)
    select 'plumber-of-' || cities.slug, 'A Plumber', 'approved', category_id, cities.id,
      address_line1, postcode, latitude, longitude
    from businesses as b, cities
    where b.id = ${id} and cities.id <> b.city_id`;
}

/** A key for admission that is not in any database. */
export function makeKey(limits: Partial<ApiKey> = {}): ApiKey {
  const id = Bun.randomUUIDv7();
  return { id, meterId: id, tier: "", quota: 1_000, perMinute: 60, burst: 60, ...limits };
}
