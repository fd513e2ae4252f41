import type { Sql } from "../store/postgres.ts";
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
    select slug, name from cities where split_part(slug, '-', 1) = any(${words}::text[])`;
}

interface CountedCity extends City {
  businessCount: number;
}

/**
 * The cities with the most approved businesses, largest first.
 * @param category slug: only businesses of that category count, with all below it
 */
export async function largestCities(
  sql: Sql,
  { category, limit }: { category?: string | undefined; limit: number },
): Promise<CountedCity[]> {
  const scope =
    category === undefined ? sql`0` : sql`(select id from categories where slug = ${category})`;
  return await sql<CountedCity[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (${countsByCity(sql, scope)} order by total desc, city_id limit ${limit}) as counted
      join cities on cities.id = counted.city_id
    order by counted.total desc, cities.name`;
}

/** The largest cities whose slugs have all of these words. */
export async function largestCitiesNamed(
  sql: Sql,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<CountedCity[]> {
  const patterns = words.map((word) => `%-${word === "saint" ? "st" : word}-%`);
  return await sql<CountedCity[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (${countsByCity(sql)}) as counted join cities on cities.id = counted.city_id
    where replace('-' || cities.slug || '-', '-saint-', '-st-') like all(${patterns}::text[])
    order by counted.total desc, cities.name
    limit ${limit}`;
}

/** Some of the cities that have approved businesses, in the order of their slugs. */
export async function listCities(
  sql: Sql,
  { offset, limit }: { offset: number; limit: number },
): Promise<CountedCity[]> {
  return await sql<CountedCity[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (${countsByCity(sql)}) as counted join cities on cities.id = counted.city_id
    order by cities.slug collate "C"
    offset ${offset} limit ${limit}`;
}

/** How many of these cities begin with each letter or digit, in their order. */
export async function countCitiesByInitial(
  sql: Sql,
): Promise<{ initial: string; cities: number }[]> {
  return await sql<{ initial: string; cities: number }[]>`
    select left(cities.slug, 1) as initial, count(*)::integer as cities
    from (${countsByCity(sql)}) as counted join cities on cities.id = counted.city_id
    group by left(cities.slug, 1)
    order by left(cities.slug, 1) collate "C"`;
}

/** The approved businesses of each city that has any. @param category id; 0 is any */
const countsByCity = (sql: Sql, category = sql`0`) => sql`
  select city_id, sum(change) as total
  from listing_counts
  where category_id = ${category} and city_id <> 0
  group by city_id
  having sum(change) > 0`;
