import { normalised } from "../search/words.ts";

/** Restores the normalised words of a search to how they were typed: “B&B”, not “bb”. */
export function asTyped(words: string, text: string): string {
  const pieces = text.split(/\s+/);
  const typed = new Map<string, string>();
  for (let length = 1; length <= MOST_PIECES; length++) {
    for (let start = 0; start + length <= pieces.length; start++) {
      const run = pieces.slice(start, start + length).join(" ");
      const word = normalised(run);
      typed.getOrInsert(word, run.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
    }
  }
  return words
    .split(" ")
    .map((word) => typed.get(word) ?? word)
    .join(" ");
}

/** The most pieces in which one word may have been typed, as in “A & B & C”. */
const MOST_PIECES = 5;
