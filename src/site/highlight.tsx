import type { ComponentChildren } from "preact";
import { exactWords } from "../search/synonyms.ts";
import { countTypos } from "../search/typos.ts";
import { mayBeUnfinished, queryWords, searchWords, singular } from "../search/words.ts";

/** Marks the words of a text that were searched for. */
export type Highlight = (text: string) => ComponentChildren;

/**
 * Marks words as search would match them: whole, in singular or plural, with or without accents, as
 * prefixes, or with the typos that search tolerates. Synonyms are not marked.
 */
export function highlightWords(query: string): Highlight {
  const wanted = queryWords(query);
  return function highlight(text) {
    return text.split(/([\p{L}\p{M}\p{N}'’]+)/u).map((part, place) => {
      const isBetweenWords = place % 2 === 0;
      if (isBetweenWords) return part;
      const word = searchWords(part).join("");
      return wanted.some((each) => matches(word, each)) ? <mark>{part}</mark> : part;
    });
  };
}

function matches(word: string, wanted: string): boolean {
  if (word === wanted || singular(word) === singular(wanted)) return true;
  if (/\d/.test(word)) return false;
  if (mayBeUnfinished(wanted) && word.startsWith(wanted)) return true;
  return !exactWords.has(wanted) && countTypos(word, wanted) !== null;
}
