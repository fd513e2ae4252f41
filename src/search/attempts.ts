import { citiesBeginningWith } from "../directory/cities.ts";
import type { Sql } from "../store/postgres.ts";
import { isOutcode, searchWords } from "./words.ts";

/** Some of the words of a text. */
export type Words = readonly string[];

/**
 * What to search for, step by step, until something is found; among the texts of a step, the first that
 * finds anything is the best. All the words come first, then fewer: words that only say how it should be
 * are left out, as is the second half of a postcode, which names a street. Whoever names a place wants
 * what is there: so the place stays, with shorter and shorter runs of the other words; after those come
 * runs of all the words.
 */
export async function* attempts(sql: Sql, words: Words): AsyncGenerator<Words[]> {
  yield [words];
  const wanted = withoutQualifiers(words);
  if (wanted.length < words.length) yield [wanted];
  const telling = withoutInwardCodes(wanted);
  if (telling.length < wanted.length) yield [telling];

  const [start, end] = await findPlace(sql, telling);
  const place = telling.slice(start, end);
  const before = inPieces(telling.slice(0, start));
  const after = inPieces(telling.slice(end));
  if (place.length === 0) return yield* runs(after, after.length - 1);
  const others = [...before, ...after];
  for (const step of runs(others, others.length - 1)) {
    yield step.map((run) => [...run, ...place]);
  }
  yield* runs([...before, place, ...after], others.length);
}

/** Words that only say how or when something is wanted. A name may contain them, so at first they count. */
const qualifiers = new Set(
  `24 24h 24hr 24hrs 7 affordable any anyone anywhere around as asap best buy can cheap cheapest closest do
  does emergency find get good here hour hours hr hrs i is late local looking nearest need night now open
  opening please possible rated recommended reliable some soon tell today tomorrow tonight top trusted urgent
  very want weekend what where which who you monday tuesday wednesday thursday friday saturday sunday`.split(
    /\s+/,
  ),
);

function withoutQualifiers(words: Words): Words {
  const wanted = words.filter((word) => !qualifiers.has(word));
  return wanted.length > 0 ? wanted : words;
}

/** `cafe nr2 1qr` → `cafe nr2`. */
function withoutInwardCodes(words: Words): Words {
  return words.filter(
    (word, place) => !(/^\d[a-z]{2}$/.test(word) && isOutcode(words[place - 1] ?? "")),
  );
}

/** Each word is a piece, except that `co op` is one: half of it would find every `Smith & Co`. */
function inPieces(words: Words): Words[] {
  const pieces: string[][] = [];
  for (const word of words) {
    const last = pieces.at(-1);
    if (word === "op" && last?.join() === "co") last.push(word);
    else pieces.push([word]);
  }
  return pieces;
}

/**
 * Runs of neighbouring pieces among the first few, since their number grows with the square: the
 * longest first, those of one length together, from left to right.
 */
function* runs(pieces: readonly Words[], longest: number): Generator<Words[]> {
  const first = pieces.slice(0, MOST_PIECES_IN_RUNS);
  for (let length = Math.min(first.length, longest); length > 0; length--) {
    const starts = Array.from({ length: first.length - length + 1 }, (_, start) => start);
    const step = starts.map((start) => first.slice(start, start + length).flat());
    const telling = step.filter((run) => !run.every(isNumberOrLetter));
    if (telling.length > 0) yield telling;
  }
}

const MOST_PIECES_IN_RUNS = 6;

/** Whether a word is only a number or a single letter: alone, 9 finds that house in every street. */
const isNumberOrLetter = (word: string) => /^(\p{N}+|\p{L})$/u.test(word);

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
