import { citiesBeginningWith } from "../directory/cities.ts";
import { isCounty } from "../directory/counties.ts";
import type { Sql } from "../store/postgres.ts";
import { otherNamesOfTowns, synonyms } from "./synonyms.ts";
import { endsStreet, isOutcode, normalised, queryWords, type Words } from "./words.ts";

interface Place {
  before: Words;
  /** The words of its name; empty when no city is named. */
  city: Words;
  /** An outcode (the first half of a postcode, such as `nr1`); empty when there is none. */
  district: Words;
  after: Words;
}

/**
 * Names of cities of the directory, as search has them. For each, whether it finds as much in quotation marks, where
 * Meilisearch ignores synonyms.
 */
export type Towns = ReadonlyMap<string, boolean>;

/** The cities that these words may name, typed together or apart, by all their names. */
export async function findTowns(sql: Sql, words: Words): Promise<Towns> {
  const pairs = words.map((word, at) => word + (words[at + 1] ?? ""));
  const others = [...otherNamesOfTowns].flatMap(([name, others]) =>
    words.includes(firstWord(name)) ? others.map(firstWord) : [],
  );
  const respelt = words.map(otherSpelling);
  const cities = await citiesBeginningWith(sql, [...words, ...pairs, ...others, ...respelt]);
  const names = new Set(cities.map(({ name }) => normalised(name)));
  const towns = new Map<string, boolean>();
  for (const name of names) {
    towns.set(name, otherNamesOfTowns.has(name) || !Object.hasOwn(synonyms, name));
  }
  for (const name of names) {
    for (const other of otherNamesOf(name)) towns.set(other, false);
  }
  return towns;
}

const firstWord = (name: string) => name.split(" ")[0] ?? "";

/** Such as Abertawe for Swansea, and Gt Yarmouth for Great Yarmouth: that is not Yarmouth with a word before it. */
function otherNamesOf(name: string): Words {
  const respelt = name.split(" ").map(otherSpelling).join(" ");
  const others = otherNamesOfTowns.get(name) ?? [];
  return respelt === name ? others : [...others, respelt];
}

const otherSpelling = (word: string) => otherSpellings.get(word) ?? word;

/** Of the spellings that search knows, those in names of towns, in which St is never Street. */
const otherSpellings = new Map([
  ["great", "gt"],
  ["gt", "great"],
  ["saint", "st"],
  ["st", "saint"],
]);

/**
 * The place that the words name: the last city of the directory (the longest name of those that end with the
 * same word), and the last outcode, wherever it stands. `before` and `after` are the other words on either side
 * of the city, or of the outcode when there is no city. Leeds Road need not be in Leeds, nor King Street in Street.
 */
export function placeIn(words: Words, towns: Towns): Place {
  const last = words.findLastIndex(isOutcode);
  const district = last < 0 ? [] : words.slice(last, last + 1);
  const others = last < 0 ? words : words.toSpliced(last, 1);
  for (let end = others.length; end > 0; end--) {
    for (let start = 0; start < end; start++) {
      const city = others.slice(start, end);
      const name = city.join(" ");
      if (!towns.has(name) || endsStreet(others, end) || (name === "street" && start > 0)) continue;
      return { before: others.slice(0, start), city, district, after: others.slice(end) };
    }
  }
  const at = Math.max(last, 0);
  return { before: others.slice(0, at), city: [], district, after: others.slice(at) };
}

/**
 * Without a county or country after a town: `pub norwich norfolk uk` → `pub norwich`. Addresses have none, so these
 * words would find only what has one in its name. They stay where nothing comes before the town, and where they end the
 * name of a town themselves, as in Bradford on Avon.
 */
export function withoutCounty(words: Words, towns: Towns): Words {
  const townAtEnd = (text: Words) =>
    text.findLastIndex((_, at) => towns.has(text.slice(at).join(" ")));
  const county = words.findIndex((_, at) => at > 1 && isCounty(words.slice(at).join(" ")));
  if (county < 0 || townAtEnd(words) >= 0) return words;
  const before = words.slice(0, county);
  const shorter = withoutCounty(before, towns);
  return shorter !== before || townAtEnd(before) > 0 ? shorter : words;
}

/** Whether a text names a city of the directory or the first half of a postcode. */
export async function namesPlace(sql: Sql, text: string): Promise<boolean> {
  const words = queryWords(text);
  const { city, district } = placeIn(words, await findTowns(sql, words));
  return city.length > 0 || district.length > 0;
}
