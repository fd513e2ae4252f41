import {
  alike,
  attributes,
  includes,
  lettersOfDistricts,
  ofOneName,
  onlyPlural,
  ownWords,
  spellings,
} from "./everyday-names.ts";
import { searchWords, singular, unaccented } from "./words.ts";

/** The synonyms of the search index; every trade in singular and plural. */
export const synonyms = collect();

/**
 * What people look for, in one word or several: the trades and what they sell, in singular and plural, and also as
 * people type them, who leave out accents.
 */
export const knownTrades = new Set(
  [...alike.flat(), ...Object.keys(includes), ...ofOneName]
    .flatMap(inBothNumbers)
    .flatMap((name) => [name, unaccented(name)]),
);

/** The trades that are what is looked for, whatever else is named beside them. */
export const sureTrades = knownTrades.difference(new Set(attributes.flatMap(inBothNumbers)));

/**
 * Words in which no typing error is forgiven: the trades of one word, what is sold, and `ownWords`.
 * Whoever writes one of them has spelled it right, and does not mean another that is a letter away.
 */
export const exactWords = [...new Set([...knownTrades, ...ownWords.flatMap(inBothNumbers)])].filter(
  isOneWord,
);

function collect(): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  const link = (from: string, to: string) => {
    if (from !== to) found.getOrInsertComputed(from, () => new Set()).add(to);
  };
  // No typing error is forgiven in a name of one word, so its other number would not be found as one. Names of
  // several words do without: as synonyms they are costly, and would slow all searches down by a tenth.
  const alone = [...ofOneName, ...ownWords].filter(isOneWord).map((name) => [name]);
  for (const group of [...alike, ...alone]) {
    const names = group.flatMap(inBothNumbers);
    for (const from of names) for (const to of names) link(from, to);
  }
  for (const [name, others] of Object.entries(includes)) {
    const names = inBothNumbers(name);
    for (const from of names) {
      for (const to of [...names, ...others.flatMap(inBothNumbers)]) link(from, to);
    }
  }
  for (const group of spellings) {
    for (const from of group) for (const to of group) link(from, to);
  }
  for (const [district, letters] of Object.entries(lettersOfDistricts)) {
    for (const letter of letters) link(district, district + letter);
  }
  return Object.fromEntries([...found].map(([from, to]) => [from, [...to]]));
}

function isOneWord(name: string): boolean {
  return !name.includes(" ");
}

function inBothNumbers(name: string): string[] {
  if (onlyPlural.includes(name)) return [name];
  const words = searchWords(name);
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  return [...new Set([last, singular(last), plural(last)])].map((word) =>
    [...before, word].join(" "),
  );
}

function plural(word: string): string {
  if (word.endsWith("s")) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(sh|ch|x)$/.test(word) ? `${word}es` : `${word}s`;
}
