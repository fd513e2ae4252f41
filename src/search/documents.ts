import type { Fragment } from "postgres";
import type { Sql } from "../store/postgres.ts";
import { searchWords, singular } from "./words.ts";

/** What Meilisearch holds of an approved business: words to find it by, never anything to show. */
export interface SearchDocument {
  id: string;
  name: string;
  /** The words of its category, each in plural and singular. */
  category: string;
  city: string;
  address: string;
  postcode: string;
  /** The words of the categories above its own. */
  branch: string;
  about: string;
  citySlug: string;
  /** Its category and those above, as far as they are active. */
  categorySlugs: string[];
  /** The order of lists: premium, then rating, then reviews; smaller is better. */
  rank: number;
}

/** The documents of those of these businesses that are approved. */
export async function readDocuments(sql: Sql, ids: readonly string[]): Promise<SearchDocument[]> {
  if (ids.length === 0) return [];
  return select(sql, sql`b.id = any(${ids as string[]}::uuid[])`, sql``);
}

/** The next `limit` documents in order of id, to walk through the whole directory. */
export async function readDocumentsAfter(
  sql: Sql,
  id: string | null,
  limit: number,
): Promise<SearchDocument[]> {
  const start = id === null ? sql`true` : sql`b.id > ${id}`;
  return select(sql, start, sql`order by b.id limit ${limit}`);
}

interface Row {
  id: string;
  name: string;
  categoryNames: string[];
  categorySlugs: string[] | null;
  cityName: string;
  citySlug: string;
  addressLine1: string;
  addressLine2: string | null;
  postcode: string;
  shortDescription: string;
  rank: number;
}

async function select(sql: Sql, condition: Fragment, part: Fragment): Promise<SearchDocument[]> {
  const rows = await sql<Row[]>`
    with branches as materialized (
      select category_id,
        array_agg(name order by distance) as names,
        array_agg(slug order by distance) filter (where is_visible) as slugs
      from (
        select a.category_id, a.distance, c.name, c.slug,
          bool_and(c.is_active) over (partition by a.category_id order by a.distance desc) as is_visible
        from category_ancestors as a
          join categories as c on c.id = a.ancestor_id
      ) as lineage
      group by category_id
    )
    select b.id, b.name, branches.names as "categoryNames", branches.slugs as "categorySlugs",
      cities.name as "cityName", cities.slug as "citySlug",
      b.address_line1 as "addressLine1", b.address_line2 as "addressLine2", b.postcode,
      b.short_description as "shortDescription", b.list_rank::float8 as rank
    from businesses as b
      join branches on branches.category_id = b.category_id
      join cities on cities.id = b.city_id
    where b.status = 'approved' and ${condition}
    ${part}`;
  return rows.map(toDocument);
}

function toDocument(row: Row): SearchDocument {
  const [category = "", ...above] = row.categoryNames;
  return {
    id: row.id,
    name: normalised(row.name),
    category: inBothNumbers(category),
    city: normalised(row.cityName),
    address: normalised(`${row.addressLine1}, ${row.addressLine2 ?? ""}`),
    postcode: normalised(row.postcode),
    branch: above.map(inBothNumbers).join(" "),
    about: normalised(row.shortDescription),
    citySlug: row.citySlug,
    categorySlugs: row.categorySlugs ?? [],
    rank: row.rank,
  };
}

const normalised = (text: string) => searchWords(text).join(" ");

function inBothNumbers(name: string): string {
  const words = searchWords(name);
  return [...new Set([...words, ...words.map(singular)])].join(" ");
}
