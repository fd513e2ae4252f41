import { setImmediate as otherWork } from "node:timers/promises";
import type { Fragment } from "postgres";
import type { Sql } from "../store/postgres.ts";
import { type BranchPart, type CityPart, normalised, readBranches, readCities } from "./parts.ts";
import { knownTrades } from "./synonyms.ts";

/** What Meilisearch holds of an approved business: words to find it by, never anything to show. */
export interface SearchDocument {
  id: string;
  /** `lloydspharmacy`, and `lloyds pharmacy`, as many say; the second is empty when it would be the same. */
  name: { whole: string; said: string };
  /**
   * `norwich boots`: its city and its name, as one asks for the branch of a chain. In this order, the words of
   * `boots norwich` are not farther from each other where the name goes on.
   */
  called: string;
  /**
   * Each word of its city again and again: `{ 0: "tunbridge tunbridge …", 1: "tunbridge wells wells …" }`. To
   * Meilisearch, an attribute begins with the question also when some of the words have their places in other
   * attributes. `chinese wells`, therefore, would be the beginning of what has `chinese medicine wells` and
   * `acupuncture wells`, but not of `chinese takeaways wells`, if the city were not at every place. The second
   * word of a city is never at the first place: to `wells`, nothing begins with it in Tunbridge Wells.
   */
  place: Record<string, string>;
  /**
   * `chemists pharmacies wells`: its category and its city. Meilisearch prefers an attribute that is just the
   * question, and after that one that begins with it. To `pubs norwich`, therefore, all pubs there match
   * equally well, whatever their names and addresses are, and rank decides; and to `pubs wells`, those in
   * Wells better than those in Wells-next-the-Sea. The next seven are for the other ways to ask.
   */
  category: string;
  /** `chemist pharmacy wells` */
  trade: string;
  /** `chemists wells`: as if it had only the first of two trades; empty when it has one. */
  firstCategory: string;
  /** `chemist wells` */
  firstTrade: string;
  /** `pharmacies wells` */
  secondCategory: string;
  /** `pharmacy wells` */
  secondTrade: string;
  /** `wells chemists pharmacies chemist pharmacy`, and `wells pharmacies`, where the second trade is in its place. */
  city: { whole: string; second: string };
  /** `wells chemist pharmacy chemists pharmacies` and `wells pharmacy` */
  town: { whole: string; second: string };
  address: string;
  postcode: string;
  /** The words of the categories above its own. */
  branch: string;
  /**
   * Its name and its short description. The name comes first because an attribute that begins with the
   * question is preferred: what a description happens to begin with says little.
   */
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
  return select(sql, sql`b.id = any(${ids}::uuid[])`, sql``);
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
  categoryId: number;
  cityId: number;
  addressLine1: string;
  addressLine2: string | null;
  postcode: string;
  shortDescription: string;
  rank: number;
}

async function select(sql: Sql, condition: Fragment, part: Fragment): Promise<SearchDocument[]> {
  const rows = await sql<Row[]>`
    select b.id, b.name, b.category_id as "categoryId", b.city_id as "cityId",
      b.address_line1 as "addressLine1", b.address_line2 as "addressLine2", b.postcode,
      b.short_description as "shortDescription", b.list_rank::float8 as rank
    from businesses as b
    where b.status = 'approved' and ${condition}
    ${part}`;
  // Names are read after the rows. Before them, the category or city of a row might not have been there
  // yet, or have had an older name.
  const [branches, cities] = await Promise.all([
    readBranches(sql, distinct(rows.map(({ categoryId }) => categoryId))),
    readCities(sql, distinct(rows.map(({ cityId }) => cityId))),
  ]);
  const documents: SearchDocument[] = [];
  for (const [place, row] of rows.entries()) {
    if (place % DOCUMENTS_TO_A_TURN === 0) await otherWork();
    const branch = branches.get(row.categoryId);
    const city = cities.get(row.cityId);
    // A category or city is deleted only once no business is in it. So if one was deleted meanwhile, this
    // business had left it, and that change is recorded and yet to be applied.
    if (branch && city) documents.push(toDocument(row, branch, city));
  }
  return documents;
}

/** Documents that are made without a pause, in some milliseconds. In the pauses the server answers. */
const DOCUMENTS_TO_A_TURN = 200;

function toDocument(row: Row, branch: BranchPart, city: CityPart): SearchDocument {
  const { whole, first, second } = branch.names;
  const there = (trade: string) => trade && `${trade} ${city.name}`;
  const after = (trade: string) => trade && `${city.name} ${trade}`;
  const name = normalised(row.name);
  const said = normalised(asSaid(row.name));
  return {
    id: row.id,
    name: { whole: name, said: said === name ? "" : said },
    called: `${city.name} ${name}`,
    place: city.place,
    category: there(whole.plural),
    trade: there(whole.singular),
    firstCategory: there(first.plural),
    firstTrade: there(first.singular),
    secondCategory: there(second.plural),
    secondTrade: there(second.singular),
    city: { whole: after(`${whole.plural} ${whole.singular}`), second: after(second.plural) },
    town: { whole: after(`${whole.singular} ${whole.plural}`), second: after(second.singular) },
    address: normalised(`${row.addressLine1}, ${row.addressLine2 ?? ""}`),
    postcode: normalised(row.postcode),
    branch: branch.branch,
    about: normalised(`${row.name}, ${row.shortDescription}`),
    citySlug: city.citySlug,
    categorySlugs: branch.categorySlugs,
    rank: row.rank,
  };
}

/**
 * `LloydsPharmacy` → `Lloyds Pharmacy`, and `Sainsbury's` → `Sainsbury`. Trades own nothing: to `baker`, the
 * Baker's Arms is not what is meant.
 */
function asSaid(name: string): string {
  return name
    .replace(/(?<=\p{Ll}{2})(?<!\bMac)(?=\p{Lu}\p{Ll}{2})/gu, " ")
    .replace(/(\p{L}{3,})['’‘ʼ`´]s\b/giu, (owned, owner: string) =>
      knownTrades.has(owner.toLowerCase()) ? owned : owner,
    );
}

const distinct = (ids: number[]) => [...new Set(ids)];
