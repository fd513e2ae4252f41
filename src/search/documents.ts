import { setImmediate as otherWork } from "node:timers/promises";
import type { Fragment } from "postgres";
import type { Sql } from "../store/postgres.ts";
import { type BranchPart, type CityPart, readBranches, readCities } from "./parts.ts";
import { knownTrades } from "./synonyms.ts";
import { normalised } from "./words.ts";

/** What Meilisearch holds of an approved business: words to find it by, never anything to show. */
export interface SearchDocument {
  id: string;
  /** `lloydspharmacy`, and `lloyds pharmacy` as many say; the second is empty when it would be the same. */
  name: { whole: string; said: string };
  /**
   * `norwich boots`: its city and its name, as people ask for the branch of a chain. In this order, the words of
   * `boots norwich` are no farther apart when the name goes on.
   */
  called: string;
  /**
   * Each word of its city again and again: `{ 0: "tunbridge tunbridge …", 1: "tunbridge wells wells …" }`. For
   * Meilisearch, an attribute begins with the query even when some of the words are at their positions only in
   * other attributes. So `chinese wells` would be the beginning of a document with `chinese medicine wells` and
   * `acupuncture wells`, but not of one with `chinese takeaways wells`, if the city were not at every position.
   * The second word of a city is never at the first position: nothing in Tunbridge Wells begins with `wells`.
   */
  place: Record<string, string>;
  /**
   * `chemists pharmacies wells`: its category and its city. Meilisearch prefers an attribute that is exactly the
   * query, and then one that begins with it. So for `pubs norwich`, all pubs there match equally well, whatever
   * their names and addresses are, and rank decides; and for `pubs wells`, those in Wells match better than those
   * in Wells-next-the-Sea. The next seven attributes are for the other ways to ask.
   */
  category: string;
  /** `chemist pharmacy wells` */
  trade: string;
  /** `chemists wells`: as if the first of its two trades were the only one; empty when it has only one. */
  firstCategory: string;
  /** `chemist wells` */
  firstTrade: string;
  /** `pharmacies wells` */
  secondCategory: string;
  /** `pharmacy wells` */
  secondTrade: string;
  /** `wells chemists pharmacies chemist pharmacy`, and `wells pharmacies`, for the position of the second trade. */
  city: { whole: string; second: string };
  /** `wells chemist pharmacy chemists pharmacies` and `wells pharmacy` */
  town: { whole: string; second: string };
  /**
   * `12 high street`, and `∅ health centre` without a number: whoever asks for a health centre, or for a hospital,
   * does not mean the pharmacy there, so no address begins with such words. No query has this sign, since it is
   * neither a letter nor a number.
   */
  address: string;
  postcode: string;
  /** The first word of its category and the words of those above it; see BranchPart. */
  branch: string;
  /**
   * Its name and its short description. The name comes first because an attribute that begins with the query is
   * preferred, and what a description happens to begin with says little.
   */
  about: string;
  citySlug: string;
  /** Its category and those above it, without any that is inactive or below an inactive one. */
  categorySlugs: string[];
  /** The order of lists: premium, then rating, then reviews; smaller is better. */
  rank: number;
}

/** The documents of those of these businesses that are approved. */
export async function readDocuments(sql: Sql, ids: readonly string[]): Promise<SearchDocument[]> {
  return select(sql, sql`b.id = any(${ids}::uuid[])`);
}

/** The documents of the whole directory in order of id, so many at a time, which are read when they are asked for. */
export async function* readAllDocuments(
  sql: Sql,
  atOnce: number,
): AsyncGenerator<SearchDocument[], void> {
  let last = "00000000-0000-0000-0000-000000000000";
  while (true) {
    const documents = await select(sql, sql`b.id > ${last} order by b.id limit ${atOnce}`);
    const end = documents.at(-1);
    if (!end) return;
    last = end.id;
    yield documents;
  }
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

async function select(sql: Sql, which: Fragment): Promise<SearchDocument[]> {
  const rows = await sql<Row[]>`
    select b.id, b.name, b.category_id as "categoryId", b.city_id as "cityId",
      left(b.address_line1, ${LONGEST_LINE}) as "addressLine1",
      left(b.address_line2, ${LONGEST_LINE}) as "addressLine2", b.postcode,
      left(b.short_description, ${LONGEST_DESCRIPTION}) as "shortDescription",
      b.list_rank::float8 as rank
    from businesses as b
    where b.status = 'approved' and ${which}`;
  // Names are read after the rows: earlier, the category or city of a row might not have existed yet, or might
  // have had an older name.
  const [branches, cities] = await Promise.all([
    readBranches(sql, distinct(rows.map(({ categoryId }) => categoryId))),
    readCities(sql, distinct(rows.map(({ cityId }) => cityId))),
  ]);
  const documents: SearchDocument[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % DOCUMENTS_TO_A_TURN === 0) await otherWork();
    const branch = branches.get(row.categoryId);
    const city = cities.get(row.cityId);
    // A category or city is deleted only once no business is in it. So if one was deleted meanwhile, this
    // business had left it, and that change is recorded and yet to be applied.
    if (branch && city) documents.push(toDocument(row, branch, city));
  }
  return documents;
}

/**
 * Characters that are searched, as many as an import accepts. SQL brings in texts of any length, and Meilisearch refuses
 * a request of more than 100 MB: no change would get into the index any more.
 */
const LONGEST_LINE = 300;
const LONGEST_DESCRIPTION = 500;

/** Documents made without a pause, within some milliseconds. In the pauses, the server answers requests. */
const DOCUMENTS_TO_A_TURN = 200;

function toDocument(row: Row, branch: BranchPart, city: CityPart): SearchDocument {
  const { whole, first, second } = branch.names;
  const there = (trade: string) => trade && `${trade} ${city.name}`;
  const after = (trade: string) => trade && `${city.name} ${trade}`;
  const name = normalised(row.name);
  const address = normalised(`${row.addressLine1}, ${row.addressLine2 ?? ""}`);
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
    address: /^\d/.test(address) ? address : `∅ ${address}`,
    postcode: normalised(row.postcode),
    branch: branch.branch,
    about: normalised(`${row.name}, ${row.shortDescription}`),
    citySlug: city.citySlug,
    categorySlugs: branch.categorySlugs,
    rank: row.rank,
  };
}

/**
 * `LloydsPharmacy` → `Lloyds Pharmacy`, and `Sainsbury's` → `Sainsbury`. A trade is no owner: whoever types
 * `baker` does not mean the Baker's Arms.
 */
function asSaid(name: string): string {
  return name
    .replace(/(?<=\p{Ll}{2})(?<!\bMac)(?=\p{Lu}\p{Ll}{2})/gu, " ")
    .replace(/(\p{L}{3,})['’‘ʼ`´]s\b/giu, (owned, owner: string) =>
      knownTrades.has(normalised(owner)) ? owned : owner,
    );
}

const distinct = (ids: number[]) => [...new Set(ids)];
