import { liftTimeLimits, type Sql, type Transaction } from "../store/postgres.ts";
import { countWrongHours } from "./opening-hours.ts";

export interface ListCheck {
  businesses: number;
  /** How many lists there are: by category, by city, by both, and the one of all. */
  lists: number;
  faults: ListFault[];
  /** Ancestors of categories that are missing from the records, or wrongly in them. */
  wrongAncestors: number;
  /** Businesses whose opening hours are not in the form that the directory writes. */
  wrongHours: number;
  /** Businesses whose category or city is gone. */
  wrongReferences: number;
}

/** A list that disagrees with the businesses. */
export interface ListFault {
  /** Slug of its category; null for any, `#` and its id when it is gone. */
  category: string | null;
  /** Slug of its city, likewise. */
  city: string | null;
  /** The total that it reports. */
  total: number;
  /** The approved businesses that belong to it. */
  due: number;
  /** How many of those are not in their place. */
  missing: number;
  /** Rows that do not belong in it. */
  strays: number;
  /**
   * Chunks whose count differs from their number of rows: pages after the first one begin in the wrong place.
   */
  wrongChunks: number;
}

export interface ListCheckOptions {
  /** Called with how many of the categories have been compared. */
  onProgress?: ((done: number, categories: number) => void) | undefined;
}

/**
 * Compares every list, its total and its chunks (see sql/002_listings.sql) with the businesses, and looks at
 * opening hours (see sql/020_hours_by_statement.sql) and references (see sql/007_bulk.sql). Triggers keep
 * them consistent; but triggers can be turned off, as they are in data-only restores and in logical
 * replication. Reads one snapshot and blocks nobody.
 */
export async function checkLists(
  sql: Sql,
  { onProgress }: ListCheckOptions = {},
): Promise<ListCheck> {
  return await sql.begin("isolation level repeatable read", async (transaction) => {
    await liftTimeLimits(transaction);
    return await compareAll(transaction, onProgress);
  });
}

/**
 * Compares all lists, one category after the other.
 * @param repair called for each category with wrong lists, with the cities of those lists; 0 stands for any
 */
export async function compareAll(
  transaction: Transaction,
  onProgress: ListCheckOptions["onProgress"],
  repair?: (transaction: Transaction, category: number, cities: number[]) => Promise<void>,
): Promise<ListCheck> {
  // Enough for what is sorted and compared at a time, unless the directory is large.
  await transaction`select set_config('work_mem', '256MB', true)`;
  await collectDue(transaction);
  const categories = await transaction<{ id: number; slug: string | null }[]>`
    select id, case when id <> 0 then coalesce(slug, '#' || id) end as slug from (
      select 0 as id union select id from categories union select category_id from listing_counts
    ) as kept left join categories using (id)`;
  const faults: ListFault[] = [];
  let businesses = 0;
  let lists = 0;
  for (const [index, { id, slug }] of categories.entries()) {
    const compared = await compareCategory(transaction, id);
    lists += compared.length;
    if (id === 0) businesses = compared.find(({ cityId }) => cityId === 0)?.due ?? 0;
    const wrong = compared.filter((list) => list.missing + list.strays + list.wrongChunks > 0);
    for (const { cityId, ...fault } of wrong) faults.push({ category: slug, ...fault });
    const cities = wrong.map(({ cityId }) => cityId);
    if (cities.length > 0) await repair?.(transaction, id, cities);
    onProgress?.(index + 1, categories.length);
  }
  const wrongAncestors = await countWrongAncestors(transaction);
  const wrongHours = await countWrongHours(transaction);
  const wrongReferences = await countWrongReferences(transaction);
  return { businesses, lists, faults, wrongAncestors, wrongHours, wrongReferences };
}

/**
 * Each category with itself and its ancestors, by following parents. A cycle is walked once, and a parent
 * that is gone is ignored.
 */
export const ancestors = (transaction: Transaction) => transaction`
  with recursive above (category_id, ancestor_id, distance) as (
    select id, id, 0 from categories
    union all
    select above.category_id, parent_id, distance + 1
    from above join categories on id = ancestor_id
    where parent_id in (select id from categories)
  ) cycle ancestor_id set is_circle using path
  select category_id, ancestor_id, min(distance) as distance from above group by 1, 2`;

/** How many ancestors of categories are missing from the records, or wrongly in them. */
async function countWrongAncestors(transaction: Transaction): Promise<number> {
  const [{ count }] = await transaction<[{ count: number }]>`
    select count(*)::integer as count
    from (${ancestors(transaction)}) as due
      full join category_ancestors as kept using (category_id, ancestor_id, distance)
    where due is null or kept is null`;
  return count;
}

/** How many businesses have a category or a city that is gone, which triggers prevent. */
async function countWrongReferences(transaction: Transaction): Promise<number> {
  const [{ count }] = await transaction<[{ count: number }]>`
    select count(*)::integer as count
    from businesses
      left join categories on categories.id = category_id
      left join cities on cities.id = city_id
    where (category_id, city_id) is distinct from (categories.id, cities.id)`;
  return count;
}

/**
 * Where each approved business has to be listed. A table with an index of its own, since it is read once
 * for each category.
 */
async function collectDue(transaction: Transaction): Promise<void> {
  await transaction`
    create temporary table due on commit drop as
    select scope.category_id, b.city_id, b.list_rank, b.id as business_id
    from businesses as b
      join (
        select category_id as of_category_id, ancestor_id as category_id
        from (${ancestors(transaction)}) as above
        union all
        select id, 0 from categories
      ) as scope on scope.of_category_id = b.category_id
    where b.status = 'approved'`;
  await transaction`create index on due (category_id)`;
  await transaction`analyze due`;
}

interface ComparedList extends Omit<ListFault, "category"> {
  cityId: number;
}

/** The lists of a category, 0 for any, in each city and in all. */
async function compareCategory(
  transaction: Transaction,
  category: number,
): Promise<ComparedList[]> {
  return await transaction<ComparedList[]>`
    with due as materialized (
      select city_id, list_rank, business_id from pg_temp.due where category_id = ${category}
    ),
    shown as materialized (
      select city_id, list_rank, business_id from listings where category_id = ${category}
    ),
    -- Of each city, and of 0, what is due (+1) and what is shown (-1), row by row.
    differences as (
      select city.id as city_id, sum(side) as side
      from (select *, 1 as side from due union all select *, -1 from shown) as sides
        cross join lateral (values (0), (city_id)) as city (id)
      group by city.id, list_rank, business_id
    ),
    compared as (
      select city_id,
        count(*) filter (where side > 0) as missing, count(*) filter (where side < 0) as strays
      from differences group by 1
    ),
    -- The rows and the borders of the chunks in list order: how many borders came before a row is the
    -- number of its chunk.
    placed as (
      select city_id, size, count(size) over (
          partition by city_id order by list_rank, business_id, size nulls last
          rows unbounded preceding
        ) as chunk
      from (
        select city.id as city_id, list_rank, business_id, null as size
        from shown cross join lateral (values (0), (city_id)) as city (id)
        union all
        select city_id, from_rank, from_id, sum(change)
        from listing_counts where category_id = ${category}
        group by 1, 2, 3
      ) as both_kinds
    ),
    chunks as (
      select city_id, coalesce(max(size), 0) as size, count(*) filter (where size is null) as shown
      from placed group by city_id, chunk
    ),
    counted as (
      select city_id, sum(size) as total, sum(shown) as shown, count(*) filter (where size <> shown) as wrong_chunks
      from chunks group by 1
    )
    select city_id as "cityId",
      case when city_id <> 0 then coalesce(cities.slug, '#' || city_id) end as city,
      coalesce(total, 0)::integer as total,
      (coalesce(shown, 0) + coalesce(missing, 0) - coalesce(strays, 0))::integer as due,
      coalesce(missing, 0)::integer as missing, coalesce(strays, 0)::integer as strays,
      coalesce(wrong_chunks, 0)::integer as "wrongChunks"
    from counted full join compared using (city_id) left join cities on cities.id = city_id`;
}
