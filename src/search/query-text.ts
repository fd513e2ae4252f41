import type { MultiSearchQuery } from "meilisearch";
import { spaceless } from "./likelihood.ts";
import { placeIn, type Towns } from "./place.ts";
import { MIN_WORD_SIZE_FOR_TYPOS } from "./typos.ts";
import { mayBeUnfinished, type Words } from "./words.ts";

/** What Meilisearch is asked for, and in which attributes it looks: in all, unless they are named. */
export type Query = Pick<MultiSearchQuery, "q" | "attributesToSearchOn">;

/**
 * The query for what has all these words.
 * @param towns cities of the directory; see toQueryText
 * @param options.isName whether it finds only what has them in its name, its town and its postcode
 * @param options.isUnfinished whether the last one may be unfinished although it is short
 */
export function queryFor(
  words: Words,
  towns?: Towns,
  { isName = false, isUnfinished = false } = {},
): Query {
  const q = isUnfinished ? toQueryText(words, towns).trimEnd() : toQueryText(words, towns);
  return isName ? { q, attributesToSearchOn: NAME_ATTRIBUTES } : { q };
}

/** Meilisearch takes the name of an object for none of its fields. */
const NAME_ATTRIBUTES = ["name.whole", "name.said", "called", "postcode"];

/** Together they find what is in any district of a district's area. As the beginning of a word, `w1` is W10 as well. */
export function queriesAround(district: string): Query[] {
  const [area = ""] = /^[a-z]+/.exec(district) ?? [];
  return Array.from("123456789", (digit) => ({
    q: area + digit,
    attributesToSearchOn: ["postcode"],
  }));
}

/**
 * The text by which Meilisearch is asked for words. It treats the last one as unfinished unless a space follows, and
 * in quotation marks forgives no typing errors and takes no word for unfinished.
 * @param towns cities of the directory: whoever spells one right means no other, such as Bolton for `boston`, or
 *   Chesterfield for `chester`
 */
export function toQueryText(words: Words, towns: Towns = new Map()): string {
  const text = words.join(" ") + (mayBeUnfinished(words.at(-1) ?? "") ? "" : " ");
  const { before, city, after } = placeIn(words, towns);
  const town = city.join(" ");
  const isExact =
    town.length >= MIN_WORD_SIZE_FOR_TYPOS.oneTypo &&
    towns.get(town) === true &&
    !isHalf(before.at(-1), city[0], towns) &&
    !isHalf(city.at(-1), after[0], towns);
  return isExact ? text.replace(new RegExp(`(?<!\\S)${town}(?!\\S)`), '"$&"') : text;
}

/** Whether these are one word typed apart, whose halves are not found in quotation marks: `stone mason`, `man chester`. */
function isHalf(first: string | undefined, second: string | undefined, towns: Towns) {
  const whole = `${first}${second}`;
  return towns.has(whole) || spaceless.known.has(whole);
}
