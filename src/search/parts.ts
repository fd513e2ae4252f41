import type { Sql } from "../store/postgres.ts";
import { categoriesInSearch } from "./everyday-names.ts";
import { normalised, queryWords, searchWords, singular } from "./words.ts";

/** What the documents of a category have in common. */
export interface BranchPart {
  /**
   * Its name, or what search takes it for, and the two trades in it (`Chemists and pharmacies`), which are "" when it
   * names only one.
   */
  names: { whole: Trade; first: Trade; second: Trade };
  /**
   * The first word of its name, in the singular, and the words of the categories above it, if there are any. Without
   * the former, home care, as one of the care services, would begin with `care home`; see SearchDocument.
   */
  branch: string;
  /** Its own and those above it, without any that is inactive or below an inactive one. */
  categorySlugs: string[];
}

/** The words of a trade, in plural as the category names it, and in singular. */
interface Trade {
  plural: string;
  singular: string;
}

/** What the documents of a city have in common. */
export interface CityPart {
  /** The words of its name. */
  name: string;
  /** Each of these words again and again; see SearchDocument. */
  place: Record<string, string>;
  citySlug: string;
}

/** By the ids of these categories, without those that are gone. */
export async function readBranches(sql: Sql, ids: number[]): Promise<Map<number, BranchPart>> {
  const rows = await sql<{ id: number; names: string[]; slugs: string[] | null }[]>`
    select category_id as id,
      array_agg(name order by distance) as names,
      array_agg(slug order by distance) filter (where is_visible) as slugs
    from (
      select a.category_id, a.distance, c.name, c.slug,
        bool_and(c.is_active) over (partition by a.category_id order by a.distance desc) as is_visible
      from category_ancestors as a
        join categories as c on c.id = a.ancestor_id
      where a.category_id = any(${ids}::integer[])
    ) as lineage
    group by category_id`;
  return new Map(
    rows.map(({ id, names: [ownName = "", ...above], slugs }) => {
      const name = categoriesInSearch.get(ownName) ?? ownName;
      const [, first = "", second = ""] = /^(.+?) (?:and|&) (.+)/.exec(name) ?? [];
      const start = singular(searchWords(name)[0] ?? "");
      const branch = above.flatMap((one) => Object.values(toTrade(one)));
      return [
        id,
        {
          names: { whole: toTrade(name), first: toTrade(first), second: toTrade(second) },
          branch: branch.length > 0 ? [start, ...branch].join(" ") : "",
          categorySlugs: slugs ?? [],
        },
      ];
    }),
  );
}

function toTrade(name: string): Trade {
  const one = name.toLowerCase().replace(LAST_WORDS, (word) => singular(word));
  return { plural: normalised(name), singular: normalised(one) };
}

/** The last word of each trade in a name: `places` and `clubs` in `Places of worship and sports clubs`. */
const LAST_WORDS = /[^\s,/]+(?=[,/]|$| (?:&|\(|and |of ))/g;

/** By the ids of these cities, without those that are gone. */
export async function readCities(sql: Sql, ids: number[]): Promise<Map<number, CityPart>> {
  const rows = await sql<{ id: number; slug: string; name: string }[]>`
    select id, slug, name from cities where id = any(${ids}::integer[])`;
  return new Map(
    rows.map(({ id, slug, name }) => {
      // Whatever SQL has brought in: a hundred would make documents so long that Meilisearch refuses requests.
      const words = queryWords(name);
      const again = words.map((word, before) =>
        [...words.slice(0, before), ...Array(PLACES).fill(word)].join(" "),
      );
      return [
        id,
        { name: words.join(" "), place: Object.fromEntries(again.entries()), citySlug: slug },
      ];
    }),
  );
}

/** More words than come before the town in nearly all queries. */
const PLACES = 6;
