import type { Sql } from "../store/postgres.ts";
import type { City } from "./schemas.ts";
import { isSlug } from "./slug.ts";

export type CityName = Pick<City, "slug" | "name">;

/** The city of that slug, or null. */
export async function findCity(sql: Sql, slug: string): Promise<CityName | null> {
  if (!isSlug(slug)) return null;
  const [city] = await sql<CityName[]>`select slug, name from cities where slug = ${slug}`;
  return city ?? null;
}

/** The cities whose slugs begin with one of these words. */
export async function citiesBeginningWith(sql: Sql, words: readonly string[]): Promise<CityName[]> {
  return await sql<CityName[]>`
    select slug, name from cities where split_part(slug, '-', 1) = any(${words}::text[])`;
}

/**
 * The cities with the most approved businesses, largest first.
 * @param category slug: only businesses of that category count, with all below it
 */
export async function largestCities(
  sql: Sql,
  { category, limit }: { category?: string | undefined; limit: number },
): Promise<City[]> {
  const scope =
    category === undefined ? sql`0` : sql`(select id from categories where slug = ${category})`;
  return await sql<City[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (${countsByCity(sql, scope)} order by total desc, city_id limit ${limit}) as counted
      join cities on cities.id = counted.city_id
    order by counted.total desc, cities.name`;
}

/** The largest cities whose slugs have all of these words, however "saint" and "great" are spelt. */
export async function largestCitiesNamed(
  sql: Sql,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<City[]> {
  const patterns = words.map((word) => `%-${usual.get(word) ?? word}-%`);
  return await sql<City[]>`
    select cities.slug, cities.name, counted.total::integer as "businessCount"
    from (${countsByCity(sql)}) as counted join cities on cities.id = counted.city_id
    where replace(replace('-' || cities.slug || '-', '-saint-', '-st-'), '-gt-', '-great-')
      like all(${patterns}::text[])
    order by counted.total desc, cities.name
    limit ${limit}`;
}

const usual = new Map([
  ["saint", "st"],
  ["gt", "great"],
]);

/** Some of the cities that have approved businesses, in the order of their slugs, and how many there are. */
export async function listCities(
  sql: Sql,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ cities: City[]; total: number }> {
  // One statement, so that total and cities come from one snapshot.
  const rows = await sql<({ all: number } & (City | { slug: null }))[]>`
    with counted as materialized (${countsByCity(sql)})
    select (select count(*) from counted)::integer as all, shown.*
    from (values (1)) as always left join lateral (
        select cities.slug, cities.name, counted.total::integer as "businessCount"
        from counted join cities on cities.id = counted.city_id
        order by cities.slug collate "C"
        offset ${offset} limit ${limit}
      ) as shown on true
    order by shown.slug collate "C"`;
  const cities = rows.flatMap(({ all, ...city }) => (city.slug === null ? [] : city));
  return { cities, total: rows[0]?.all ?? 0 };
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
