import type { Sql } from "../store/postgres.ts";
import { isActive } from "./categories.ts";
import type { CategoryName } from "./schemas.ts";
import { isSlug } from "./slug.ts";

export interface City {
  slug: string;
  name: string;
}

/** The city of that slug, or null. */
export async function findCity(sql: Sql, slug: string): Promise<City | null> {
  if (!isSlug(slug)) return null;
  const [city] = await sql<City[]>`select slug, name from cities where slug = ${slug}`;
  return city ?? null;
}

/** The cities whose slugs begin with one of these words. */
export async function citiesBeginningWith(sql: Sql, words: readonly string[]): Promise<City[]> {
  return await sql<City[]>`
    select slug, name from cities where split_part(slug, '-', 1) = any(${words as string[]}::text[])`;
}

/**
 * The cities with the most approved businesses, the most first; all of them without a limit.
 * @param category slug: only businesses of that category count, with all below it
 */
export async function largestCities(
  sql: Sql,
  { category, limit }: { category?: string | undefined; limit?: number } = {},
): Promise<(City & { businessCount: number })[]> {
  const scope =
    category === undefined ? sql`0` : sql`(select id from categories where slug = ${category})`;
  return await sql<(City & { businessCount: number })[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (
      select city_id, sum(change) as total
      from listing_counts
      where category_id = ${scope} and city_id <> 0
      group by city_id
      having sum(change) > 0
      order by total desc
      limit ${limit ?? null}
    ) as counted
      join cities on cities.id = counted.city_id
    order by counted.total desc, cities.name`;
}

/**
 * The active categories that have approved businesses in a city, except those at the top of the tree; the
 * ones with the most first. All of them without a limit.
 */
export async function largestCategoriesOf(
  sql: Sql,
  { city, limit }: { city: string; limit?: number },
): Promise<(CategoryName & { businessCount: number })[]> {
  return await sql<(CategoryName & { businessCount: number })[]>`
    select categories.slug, categories.name, counted.total::integer as "businessCount"
    from categories
      cross join lateral (
        select sum(change) as total from listing_counts
        where category_id = categories.id and city_id = (select id from cities where slug = ${city})
      ) as counted
    where counted.total > 0 and categories.parent_id is not null and ${isActive(sql)}
    order by counted.total desc, categories.name
    limit ${limit ?? null}`;
}
