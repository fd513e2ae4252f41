import type { Sql } from "../store/postgres.ts";
import type { Category, CategoryName } from "./schemas.ts";

/** Every active category (no ancestor is inactive either), by name. */
export async function listCategories(sql: Sql): Promise<Category[]> {
  const rows = await sql<(CategoryName & { parents: CategoryName[]; businessCount: number })[]>`
    select c.slug, c.name,
      coalesce(
        json_agg(json_build_object('slug', above.slug, 'name', above.name) order by a.distance desc)
          filter (where a.distance > 0), '[]') as parents,
      coalesce(counted.total, 0)::integer as "businessCount"
    from categories as c
      join category_ancestors as a on a.category_id = c.id
      join categories as above on above.id = a.ancestor_id
      left join (
        select category_id, sum(change) as total
        from listing_counts
        where city_id = 0
        group by category_id
      ) as counted on counted.category_id = c.id
    group by c.id, counted.total
    having bool_and(above.is_active)
    order by c.name, c.slug`;
  return rows.map(({ slug, name, parents, businessCount }) => ({
    slug,
    name,
    parent: parents.at(-1) ?? null,
    parents,
    businessCount,
  }));
}

/**
 * The active categories that have approved businesses in a city, largest first, without those at the top of the
 * tree all of whose businesses are in others below. Without a limit, all of them.
 */
export async function largestCategoriesOf(
  sql: Sql,
  { city, limit }: { city: string; limit?: number },
): Promise<(CategoryName & { businessCount: number })[]> {
  const inCity = sql`city_id = (select id from cities where slug = ${city})`;
  return await sql<(CategoryName & { businessCount: number })[]>`
    select categories.slug, categories.name, counted.total::integer as "businessCount"
    from categories
      cross join lateral (
        select sum(change) as total from listing_counts
        where category_id = categories.id and ${inCity}
      ) as counted
    where counted.total > 0 and ${isActive(sql)}
      and (categories.parent_id is not null or counted.total > (
        select coalesce(sum(change), 0)
        from categories as below join listing_counts on category_id = below.id
        where below.parent_id = categories.id and ${inCity}))
    order by counted.total desc, categories.name
    limit ${limit ?? null}`;
}

/** Which of these categories are active, by slug. */
export async function findActive(sql: Sql, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ slug: string }[]>`
    select slug from categories where slug = any(${slugs}::text[]) and ${isActive(sql)}`;
  return new Set(rows.map(({ slug }) => slug));
}

/** Whether a row of `categories` is active: it and all its ancestors are. */
export function isActive(sql: Sql) {
  return sql`not exists (
    select from category_ancestors as a
      join categories as above on above.id = a.ancestor_id
    where a.category_id = categories.id and not above.is_active)`;
}
