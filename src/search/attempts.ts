import { citiesBeginningWith } from "../directory/cities.ts";
import type { Sql } from "../store/postgres.ts";
import { isOutcode, searchWords } from "./words.ts";

/** Some of the words of a text. */
export type Words = readonly string[];

/**
 * What to search for, step by step, until something is found; among the texts of a step, the first that
 * finds anything is the best. All the words come first, then fewer. Whoever names a place wants what is
 * there: so the place stays, with shorter and shorter runs of the other words; after those come runs
 * of all the words.
 */
export async function* attempts(sql: Sql, words: Words): AsyncGenerator<Words[]> {
  yield [words];
  const [start, end] = await findPlace(sql, words);
  const place = words.slice(start, end);
  const others = [...words.slice(0, start), ...words.slice(end)];
  if (place.length > 0) {
    for (const step of runs(others, others.length - 1)) {
      yield step.map((run) => [...run, ...place]);
    }
  }
  yield* runs(words, words.length - 1);
}

/**
 * Runs of neighbouring words among the first few, since their number grows with the square: the
 * longest first, those of one length together, from left to right.
 */
function* runs(words: Words, longest: number): Generator<Words[]> {
  const first = words.slice(0, MOST_WORDS_IN_RUNS);
  for (let length = Math.min(first.length, longest); length > 0; length--) {
    const starts = Array.from({ length: first.length - length + 1 }, (_, start) => start);
    yield starts.map((start) => first.slice(start, start + length));
  }
}

const MOST_WORDS_IN_RUNS = 6;

/**
 * Where the words name a city of the directory or the first half of a postcode: the last such place,
 * and the longest of those that end there. An empty range when there is none.
 */
async function findPlace(sql: Sql, words: Words): Promise<[start: number, end: number]> {
  const cities = await citiesBeginningWith(sql, words);
  const names = new Set(cities.map(({ name }) => searchWords(name).join(" ")));
  for (let end = words.length; end > 0; end--) {
    for (let start = 0; start < end; start++) {
      const name = words.slice(start, end).join(" ");
      if (names.has(name) || isOutcode(name)) return [start, end];
    }
  }
  return [0, 0];
}
