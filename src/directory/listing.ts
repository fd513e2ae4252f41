import type { Sql } from "../store/postgres.ts";
import { readSnapshot } from "../store/snapshots.ts";
import { isActive } from "./categories.ts";
import { type ListedBusiness, listedColumns } from "./listed.ts";
import { isSlug } from "./slug.ts";
import { type Extent, LAST_RANK, type ShownList } from "./touched.ts";

/** What a list may be filtered by, and which rows of it are wanted. */
export interface ListQuery {
  /** Slug of a city. */
  city?: string | undefined;
  /** Slug of a category; its descendants are included. */
  category?: string | undefined;
  /** Rows before the first one wanted. */
  offset: number;
  limit: number;
}

export interface ListPage {
  /** All businesses of the list. */
  total: number;
  businesses: ListedBusiness[];
  /** Null when there is no such city or category. */
  shows: ShownList | null;
}

/**
 * One page of approved businesses in list order (premium, rating, reviews, id) with the exact total
 * of the filter. An unknown slug gives an empty list.
 */
export async function listBusinesses(sql: Sql, query: ListQuery): Promise<ListPage> {
  const [page] = await listPages(sql, [query]);
  return page as ListPage;
}

/**
 * Each of these pages, in their order. One statement, so that total and rows come from one snapshot. To reach
 * a page it skips chunks of rows, not rows (see sql/002_listings.sql).
 */
export async function listPages(sql: Sql, queries: readonly ListQuery[]): Promise<ListPage[]> {
  const rows = await sql<Row[]>`
    with asked as materialized (
      select place, skipped, wanted,
        case when category = ${ALL} then 0 else (
          select id from categories where slug = category and ${isActive(sql)}
        ) end as category_id,
        case when city = ${ALL} then 0 else (
          select id from cities where slug = city
        ) end as city_id
      from unnest(
        ${queries.map(({ category }) => toFilter(category))}::text[],
        ${queries.map(({ city }) => toFilter(city))}::text[],
        ${queries.map(({ offset }) => offset)}::bigint[],
        ${queries.map(({ limit }) => limit)}::integer[]
      ) with ordinality as asked (category, city, skipped, wanted, place)
    )
    select asked.place::integer as place, pg_current_snapshot()::text as snapshot,
      asked.category_id as "categoryId", asked.city_id as "cityId",
      counted.total::integer as total, listed.*
    from asked
      cross join lateral (
        select coalesce(sum(change), 0) as total
        from listing_counts
        where category_id = asked.category_id and city_id = asked.city_id
      ) as counted
      left join lateral (
        -- Only one of these two is read: the one that starts at the nearer end of the list, and only as
        -- far as the chunk in which the page begins.
        (
          select from_rank, from_id, skipped - reach + (
              select sum(change)
              from listing_counts as same
              where same.category_id = asked.category_id and same.city_id = asked.city_id
                and same.from_rank = forwards.from_rank and same.from_id = forwards.from_id
            ) as skipped
          from (
            select from_rank, from_id, sum(change) over (order by from_rank, from_id) as reach
            from listing_counts
            where skipped < total / 2
              and category_id = asked.category_id and city_id = asked.city_id
          ) as forwards
          where reach > skipped
          order by from_rank, from_id
          limit 1
        ) union all (
          select from_rank, from_id, skipped - (total - reach) as skipped
          from (
            select from_rank, from_id,
              sum(change) over (order by from_rank desc, from_id desc) as reach
            from listing_counts
            where skipped between total / 2 and total - 1
              and category_id = asked.category_id and city_id = asked.city_id
          ) as backwards
          where reach >= total - skipped
          order by from_rank desc, from_id desc
          limit 1
        )
      ) as chunk on true
      left join lateral (
        select page.list_rank::float8 as rank, ${listedColumns(sql)}
        from (
            -- Only one of these two is read: the one whose index is in list order.
            (
              select list_rank, business_id
              from listings
              where asked.city_id = 0 and category_id = asked.category_id
                and (list_rank, business_id) >= (chunk.from_rank, chunk.from_id)
              order by list_rank, business_id
              offset chunk.skipped
              limit wanted
            ) union all (
              select list_rank, business_id
              from listings
              where asked.city_id <> 0 and category_id = asked.category_id
                and city_id = asked.city_id
                and (list_rank, business_id) >= (chunk.from_rank, chunk.from_id)
              order by list_rank, business_id
              offset chunk.skipped
              limit wanted
            )
          ) as page
          join businesses as b on b.id = page.business_id
          join categories as c on c.id = b.category_id
          join cities on cities.id = b.city_id
      ) as listed on true
    order by asked.place, listed.rank, listed.id`;
  const ofPlace = Map.groupBy(rows, ({ place }) => place);
  return queries.map(({ limit }, index) => toPage(ofPlace.get(index + 1) as Row[], limit));
}

/** A text that cannot be a slug matches nothing, like the empty text. */
const toFilter = (slug: string | undefined) =>
  slug === undefined ? ALL : isSlug(slug) ? slug : "";

/** No slug. Nor is it null, which PostgreSQL would read as the text NULL while its array_nulls is off. */
const ALL = "*";

/** @param rows of which there is at least one */
function toPage(rows: Row[], limit: number): ListPage {
  const [{ total, categoryId, cityId, snapshot }] = rows as [Row];
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
    first: { rank: first.rank, id: first.id },
    last: { rank: isFull ? last.rank : LAST_RANK, id: last.id },
  };
}

/** What each row of a page repeats. */
interface Head {
  /** Which of the queries it answers, counted from 1. */
  place: number;
  total: number;
  categoryId: number | null;
  cityId: number | null;
  snapshot: string;
}
type RankedBusiness = ListedBusiness & { rank: number };
type Row = Head & (RankedBusiness | { id: null });

/** How many approved businesses there are. */
export async function countApproved(sql: Sql): Promise<number> {
  const [{ total }] = await sql<[{ total: number }]>`
    select coalesce(sum(change), 0)::integer as total
    from listing_counts where category_id = 0 and city_id = 0`;
  return total;
}
