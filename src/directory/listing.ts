import type { Sql } from "../store/postgres.ts";
import { readSnapshot } from "../store/snapshots.ts";
import { isSlug } from "./slug.ts";
import type { Extent, ShownList } from "./touched.ts";

/** What a list may be filtered by, and which rows of it are wanted. */
export interface ListQuery {
  /** Slug of a city. */
  city?: string | undefined;
  /** Slug of a category; its descendants are included. */
  category?: string | undefined;
  /** Rows before the first one wanted. */
  offset: number;
  /** Rows wanted. */
  limit: number;
}

/** A business as lists show it. Both public list items are made from it. */
export interface ListedBusiness {
  id: string;
  slug: string;
  name: string;
  shortDescription: string;
  categorySlug: string;
  cityName: string;
  postcode: string;
  phone: string;
  website: string;
  rating: number;
  reviewCount: number;
  isClaimed: boolean;
  isVerified: boolean;
  isPremium: boolean;
}

/** One page of a list. */
export interface ListPage {
  /** All businesses of the list. */
  total: number;
  businesses: ListedBusiness[];
  /** Null when there is no such city or category. */
  shows: ShownList | null;
}

/**
 * One page of approved businesses in list order (premium, rating, reviews, id) with the exact total
 * of the filter. One statement, so that both come from one snapshot; the cost does not grow with
 * the offset nor with the directory (see sql/002_listings.sql). An unknown slug gives an empty list.
 */
export async function listBusinesses(
  sql: Sql,
  { city, category, offset, limit }: ListQuery,
): Promise<ListPage> {
  if (![city, category].every((slug) => slug === undefined || isSlug(slug))) {
    return { total: 0, businesses: [], shows: null };
  }
  const rows = await sql<Row[]>`
    with scope as materialized (
      select
        ${category === undefined ? sql`0` : activeCategoryId(sql, category)} as category_id,
        ${city === undefined ? sql`0` : sql`(select id from cities where slug = ${city})`} as city_id
    ),
    chunks as materialized (
      select from_rank, from_id, sum(change) as size
      from listing_counts
      where category_id = (select category_id from scope) and city_id = (select city_id from scope)
      group by from_rank, from_id
    ),
    chunk as materialized (
      select from_rank, from_id, start
      from (
        select from_rank, from_id, sum(size) over (order by from_rank, from_id) - size as start
        from chunks
      ) as starts
      where start <= ${offset}::bigint
      order by start desc, from_rank desc, from_id desc
      limit 1
    ),
    page as (
      select list_rank, business_id
      from listings
      where category_id = (select category_id from scope)
        ${city === undefined ? sql`` : sql`and city_id = (select city_id from scope)`}
        and (list_rank, business_id) >= ((select from_rank from chunk), (select from_id from chunk))
      order by list_rank, business_id
      offset ${offset}::bigint - (select start from chunk)
      limit ${limit}
    )
    select category_id as "categoryId", city_id as "cityId", pg_current_snapshot()::text as snapshot,
      coalesce((select sum(size) from chunks), 0)::integer as total, listed.*
    from scope
      left join (
        select page.list_rank::float8 as rank, ${listedColumns(sql)}
        from page
          join businesses as b on b.id = page.business_id
          join categories as c on c.id = b.category_id
          join cities on cities.id = b.city_id
      ) as listed on true
    order by listed.rank, listed.id`;
  const [{ total, categoryId, cityId, snapshot }] = rows as unknown as [Head];
  const businesses = rows.filter((row): row is Head & RankedBusiness => row.id !== null);
  const isKnown = categoryId !== null && cityId !== null;
  return {
    total,
    businesses,
    shows: isKnown
      ? {
          kind: "list",
          scope: { category: categoryId, city: cityId },
          extent: extentOf(businesses, limit),
          snapshot: readSnapshot(snapshot),
        }
      : null,
  };
}

function extentOf(businesses: readonly RankedBusiness[], limit: number): Extent | null {
  const first = businesses[0];
  const last = businesses.at(-1);
  if (!first || !last) return null;
  const isFull = businesses.length === limit;
  return {
    firstRank: first.rank,
    firstId: first.id,
    lastRank: isFull ? last.rank : Number.POSITIVE_INFINITY,
    lastId: last.id,
  };
}

/** What stands in each row of the answer, of which there is at least one. */
interface Head {
  total: number;
  categoryId: number | null;
  cityId: number | null;
  snapshot: string;
}
type RankedBusiness = ListedBusiness & { rank: number };
type Row = Head & (RankedBusiness | { id: null });

/** The approved ones of these businesses, in the order of `ids`. */
export async function findListed(sql: Sql, ids: readonly string[]): Promise<ListedBusiness[]> {
  if (ids.length === 0) return [];
  return sql<ListedBusiness[]>`
    select ${listedColumns(sql)}
    from unnest(${ids as string[]}::uuid[]) with ordinality as wanted (id, place)
      join businesses as b on b.id = wanted.id and b.status = 'approved'
      join categories as c on c.id = b.category_id
      join cities on cities.id = b.city_id
    order by wanted.place`;
}

function listedColumns(sql: Sql) {
  return sql`
    b.id, b.slug, b.name, b.short_description as "shortDescription", c.slug as "categorySlug",
    cities.name as "cityName", b.postcode, b.phone, b.website, b.rating::float8 as rating,
    b.review_count as "reviewCount", b.is_claimed as "isClaimed", b.is_verified as "isVerified",
    b.is_premium as "isPremium"`;
}

/** A category is active when it and all its ancestors are. */
function activeCategoryId(sql: Sql, slug: string) {
  return sql`(
    select id from categories
    where slug = ${slug} and not exists (
      select from category_ancestors as a
        join categories as above on above.id = a.ancestor_id
      where a.category_id = categories.id and not above.is_active))`;
}
