import { distance } from "fastest-levenshtein";
import type { ComponentChildren } from "preact";
import { searchWords, singular } from "../search/words.ts";

/** Marks the words of a text that were searched for. */
export type Highlight = (text: string) => ComponentChildren;

/**
 * Marks words as search would match them: whole, in singular or plural, begun (four letters or
 * more), or with the slips that search forgives. Synonyms are left alone.
 */
export function highlightWords(query: string): Highlight {
  const wanted = searchWords(query).slice(0, MOST_WORDS);
  return function highlight(text) {
    return text.split(/([\p{L}\p{M}\p{N}'’]+)/u).map((part, place) => {
      const isWord = place % 2 === 1;
      return isWord && wanted.some((word) => matches(part, word)) ? <mark>{part}</mark> : part;
    });
  };
}

const MOST_WORDS = 10;

function matches(part: string, wanted: string): boolean {
  const word = searchWords(part).join("");
  if (word === wanted || singular(word) === singular(wanted)) return true;
  if (/\d/.test(word)) return false;
  if (wanted.length >= 4 && word.startsWith(wanted)) return true;
  const slips = wanted.length >= 9 ? 2 : wanted.length >= 5 ? 1 : 0;
  return slips > 0 && distance(word, wanted) <= slips;
}
