import type { Sql } from "../../src/store/postgres.ts";
import { createRandom } from "../generate/random.ts";
import { zipf } from "./zipf.ts";

/**
 * Paths of detail requests over all approved businesses, where the r-th most popular comes up in proportion to
 * 1/r. Draws until `different` distinct ones have come up, or twenty times as many in all.
 */
export async function drawDetails(sql: Sql, different: number): Promise<string[]> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer as count from businesses where status = 'approved'`;
  const random = createRandom(2);
  const places: number[] = [];
  const seen = new Set<number>();
  while (seen.size < different && places.length < different * 20) {
    const place = placeOf(zipf(random, count, 1), count);
    seen.add(place);
    places.push(place);
  }
  const slugs = await readSlugs(sql, seen);
  return places.map((place) => `/api/v1/businesses/${slugs.get(place)}`);
}

/** Spreads popular businesses over the whole directory. */
const placeOf = (rank: number, count: number) => (rank * 15_485_863) % count;

/** The slugs at these positions in id order. */
async function readSlugs(sql: Sql, places: ReadonlySet<number>): Promise<Map<number, string>> {
  const rows = await sql<{ place: number; slug: string }[]>`
    select place::integer, slug
    from (
      select slug, row_number() over (order by id) - 1 as place
      from businesses where status = 'approved'
    ) as numbered
    where place = any(${[...places]}::bigint[])`;
  return new Map(rows.map(({ place, slug }) => [place, slug]));
}
