import type { Sql } from "../store/postgres.ts";

/** A business as lists show it: both public list items, and the lists of the pages. */
export interface ListedBusiness {
  id: string;
  slug: string;
  name: string;
  shortDescription: string;
  categorySlug: string;
  cityName: string;
  addressLine1: string;
  postcode: string;
  phone: string;
  website: string;
  rating: number;
  reviewCount: number;
  isClaimed: boolean;
  isVerified: boolean;
  isPremium: boolean;
  /** The feed that it came from. */
  source: string;
}

/** The approved businesses among these, in any order. */
export async function findListed(sql: Sql, ids: readonly string[]): Promise<ListedBusiness[]> {
  if (ids.length === 0) return [];
  return sql<ListedBusiness[]>`
    select ${listedColumns(sql)}
    from businesses as b
      join categories as c on c.id = b.category_id
      join cities on cities.id = b.city_id
    where b.id = any(${ids}::uuid[]) and b.status = 'approved'`;
}

/** The columns, from `businesses as b`, `categories as c` and `cities`. */
export function listedColumns(sql: Sql) {
  return sql`
    b.id, b.slug, b.name, b.short_description as "shortDescription", c.slug as "categorySlug",
    cities.name as "cityName", b.address_line1 as "addressLine1", b.postcode, b.phone, b.website,
    b.rating::float8 as rating, b.review_count as "reviewCount", b.is_claimed as "isClaimed",
    b.is_verified as "isVerified", b.is_premium as "isPremium", b.source`;
}
