import { plural } from "../plural.ts";
import {
  lettersOfDistricts,
  modifiers,
  oneWaySynonyms,
  onlyPlural,
  otherExactWords,
  spellings,
  synonymGroups,
  tradesWithoutSynonyms,
} from "./everyday-names.ts";
import { namesOfTowns } from "./names-of-towns.ts";
import { normalised, searchWords, singular, type Words } from "./words.ts";

/** By each name of a town that has several its other names, as search has them. */
export const otherNamesOfTowns: ReadonlyMap<string, Words> = new Map(
  namesOfTowns
    .map((group) => group.map(normalised))
    .flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)])),
);

/** The synonyms of the search index, with every trade in singular and plural. */
export const synonyms = collect();

/** What people look for, in one word or several: trades and what they sell, in singular and plural. */
export const knownTrades = new Set(
  [...synonymGroups.flat(), ...Object.keys(oneWaySynonyms), ...tradesWithoutSynonyms].flatMap(
    inBothNumbers,
  ),
);

/** The trades that are wanted whatever else is named beside them. */
export const sureTrades = knownTrades.difference(new Set(modifiers.flatMap(inBothNumbers)));

/**
 * Words in which no typing error is forgiven: the known trades of one word, and a few more. Whoever types one of
 * them has spelled it right, and does not mean another that is a letter away.
 */
export const exactWords: ReadonlySet<string> = new Set(
  [...knownTrades, ...otherExactWords.flatMap(inBothNumbers)].filter(isOneWord),
);

function collect(): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  const link = (names: readonly string[], others: readonly string[]) => {
    for (const from of names) {
      for (const to of others) {
        if (from !== to) found.getOrInsertComputed(from, () => new Set()).add(to);
      }
    }
  };
  // No typing error is forgiven in a name of one word, so its singular and plural would not find each other. Names
  // of several words do without: their synonyms are costly, and would slow all searches down by a tenth.
  const alone = [...tradesWithoutSynonyms, ...otherExactWords].filter(isOneWord);
  for (const group of [...synonymGroups, ...alone.map((name) => [name])]) {
    const names = group.flatMap(inBothNumbers);
    link(names, names);
  }
  for (const [name, others] of Object.entries(oneWaySynonyms)) {
    const names = inBothNumbers(name);
    link(names, [...names, ...others.flatMap(inBothNumbers)]);
  }
  for (const group of spellings) link(group, group);
  for (const [name, others] of otherNamesOfTowns) link([name], others);
  for (const [district, letters] of Object.entries(lettersOfDistricts)) {
    const outcodes = [...letters].map((letter) => district + letter);
    link([district], outcodes);
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
