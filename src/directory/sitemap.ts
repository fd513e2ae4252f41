import type { Sql } from "../store/postgres.ts";

/**
 * One part of all approved businesses in list order, for a sitemap. Like a page of a list (listing.ts): the
 * chunk that holds the first row is found by adding up counts, so the last part of five million costs no more
 * than the first.
 */
export async function listSlugs(
  sql: Sql,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ slug: string; updatedAt: Date }[]> {
  return await sql<{ slug: string; updatedAt: Date }[]>`
    with chunk as materialized (
      select from_rank, from_id, start
      from (
        select from_rank, from_id,
          sum(sum(change)) over (order by from_rank, from_id) - sum(change) as start
        from listing_counts
        where category_id = 0 and city_id = 0
        group by from_rank, from_id
      ) as starts
      where start <= ${offset}::bigint
      order by start desc, from_rank desc, from_id desc
      limit 1
    ),
    part as materialized (
      select list_rank, business_id
      from listings
      where category_id = 0
        and (list_rank, business_id) >= ((select from_rank from chunk), (select from_id from chunk))
      order by list_rank, business_id
      offset ${offset}::bigint - (select start from chunk)
      limit ${limit}
    )
    select b.slug, b.updated_at as "updatedAt"
    from part join businesses as b on b.id = part.business_id
    order by part.list_rank, part.business_id`;
}
