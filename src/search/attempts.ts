import type { Sql } from "../store/postgres.ts";
import { withTradesCorrected } from "./misspelt.ts";
import { findPlace } from "./place.ts";
import { knownTrades, sureTrades } from "./synonyms.ts";
import { isOutcode, type Words } from "./words.ts";

/** What the attempts ask the index on their way. */
interface Lookups {
  /** Whether these words find something by themselves. */
  isKnown(words: Words): Promise<boolean>;
  /** Whether a business anywhere has this word exactly as it is spelled. */
  isSpelled(word: string): Promise<boolean>;
  /** The words of the town that most businesses of a district (`nr1`) are in; none when it has no businesses. */
  findTown(district: string): Promise<Words>;
}

/**
 * What to search for, step by step, until something is found; among the texts of a step, the first that
 * finds anything is the best.
 *
 * 1. All the words.
 * 2. Without the words that only say how it should be.
 * 3. Without the second half of a postcode, which names a street; the first half names a district.
 * 4. With misspelt trades put right.
 * 5. With the town in place of the district: what is not there may be elsewhere in its town.
 * 6. The place with shorter and shorter runs of the other words, since whoever names a place wants what is
 *    there; then the town with the same runs.
 * 7. Shorter and shorter runs of all the words, of which the place is one piece.
 *
 * Steps that would change nothing are left out; without a place, the seventh follows the fourth. The sixth and
 * the seventh are gone through twice: first with the runs that name a trade or may be a name, then with the
 * others. To `mens barber london` barbers are an answer, and working men's clubs are none; to `plymouth
 * dentist` and `dentist plymouth` alike, dentists elsewhere; to `royal oak hotel canterbury` the pub of that
 * name there, and no other hotel.
 *
 * The number of runs grows with the square of the number of words. So of many words, those that find
 * nothing by themselves are left out first. Next to nothing is lost by that: a business has to match all
 * the words of a run, so a run with one of them finds nothing either, unless two words are written as one.
 */
export async function* attempts(
  sql: Sql,
  words: Words,
  { isKnown, isSpelled, findTown }: Lookups,
): AsyncGenerator<Words[]> {
  yield [words];
  const wanted = withoutQualifiers(words);
  if (wanted.length < words.length) yield [wanted];
  const telling = withoutInwardCodes(wanted);
  if (telling.length < wanted.length) yield [telling];
  const meant = await withTradesCorrected(telling, isSpelled);
  if (meant.join() !== telling.join()) yield [meant];

  const { before, city, district, after } = await findPlace(sql, meant);
  const place = [...city, ...district];
  const [outcode] = district;
  const town = outcode === undefined || city.length > 0 ? city : await findTown(outcode);
  const isWider = outcode !== undefined && town.length > 0;
  if (isWider) yield [[...before, ...town, ...after]];

  const pieces = { before: inPieces(before), after: inPieces(after) };
  const all = [...pieces.before, ...pieces.after];
  const known = await keepKnown(all, isKnown);
  // The run of all pieces has been searched for above, unless some of them are left out now.
  const longest = known.length < all.length ? known.length : all.length - 1;
  const steps: Words[][] = (isWider ? [place, town] : [place]).flatMap((around) =>
    runs(known, longest).map((step) => step.map((run) => [...run, ...around])),
  );
  if (place.length > 0) {
    const isKept = (piece: Words) => known.includes(piece);
    // The place is one piece more. Again, the run of all has been searched for, unless some are left out.
    const inOrder = [...pieces.before.filter(isKept), place, ...pieces.after.filter(isKept)];
    steps.push(...runs(inOrder, Math.min(inOrder.length, all.length)));
  }
  yield* likeliestFirst(steps, [...place, ...town]);
}

/**
 * Words that only say how or when something is wanted. A name may contain them, so at first they count; in a trade,
 * such as a night club or things to do, always.
 */
const qualifiers = new Set(
  `24 24h 24hr 24hrs 7 affordable any anyone anywhere around as asap best buy can cheap cheapest closest do
  does emergency find get good here hour hours hr hrs i is late local looking nearest need night now open
  opening please possible rated recommended reliable some soon tell today tomorrow tonight top trusted urgent
  very want weekend what where which who you monday tuesday wednesday thursday friday saturday sunday`.split(
    /\s+/,
  ),
);

function withoutQualifiers(words: Words): Words {
  const isTrade = (first = "", second = "") => knownTrades.has(`${first} ${second}`);
  const wanted = words.filter((word, place) => {
    const isOfTrade = isTrade(words[place - 1], word) || isTrade(word, words[place + 1]);
    return isOfTrade || !qualifiers.has(word);
  });
  return wanted.length > 0 ? wanted : words;
}

/** `cafe nr2 1qr` and, half typed, `cafe nr2 1` → `cafe nr2`. */
function withoutInwardCodes(words: Words): Words {
  return words.filter(
    (word, place) => !(/^\d[a-z]{0,2}$/.test(word) && isOutcode(words[place - 1] ?? "")),
  );
}

/** Each word is a piece, except that `co op` and `co operative` are one: half would find every `Smith & Co`. */
function inPieces(words: Words): Words[] {
  const pieces: string[][] = [];
  for (const word of words) {
    const last = pieces.at(-1);
    if (/^op(erative)?$/.test(word) && last?.join() === "co") last.push(word);
    else pieces.push([word]);
  }
  return pieces;
}

/** Those of these pieces that find something by themselves; all of them when they are few. */
async function keepKnown(
  pieces: readonly Words[],
  isKnown: Lookups["isKnown"],
): Promise<readonly Words[]> {
  if (pieces.length <= FEW_PIECES) return pieces;
  const areKnown = await Promise.all(pieces.map(isKnown));
  return pieces.filter((_piece, at) => areKnown[at]);
}

/** Asking which of so few find something would cost as many queries as it saves. */
const FEW_PIECES = 3;

/**
 * Runs of neighbouring pieces among the first few, since their number grows with the square: the
 * longest first, those of one length together, from left to right.
 */
function runs(pieces: readonly Words[], longest: number): Words[][] {
  const first = pieces.slice(0, MOST_PIECES_IN_RUNS);
  const steps: Words[][] = [];
  for (let length = Math.min(first.length, longest); length > 0; length--) {
    const starts = Array.from({ length: first.length - length + 1 }, (_, start) => start);
    const step = starts.map((start) => first.slice(start, start + length).flat());
    steps.push(step.filter((run) => !run.every(isNumberOrLetter)));
  }
  return steps;
}

const MOST_PIECES_IN_RUNS = 6;

/** Whether a word is only a number or a single letter: alone, 9 finds that house in every street. */
const isNumberOrLetter = (word: string) => /^(\p{N}+|\p{L})$/u.test(word);

/**
 * All steps with only those of their runs that name a trade or may be a name, trades before names and sure
 * ones before others; then all with only the others.
 */
function* likeliestFirst(steps: readonly Words[][], place: Words): Generator<Words[]> {
  const isLikely = (run: Words) => namesTrade(run) || mayBeName(run, place);
  for (const wanted of [true, false]) {
    for (const step of steps) {
      const chosen = step.filter((run) => isLikely(run) === wanted);
      if (chosen.length > 0) yield chosen.toSorted(tradesFirst);
    }
  }
}

const tradesFirst = (a: Words, b: Words) =>
  Number(namesTrade(b, spaceless.sure)) - Number(namesTrade(a, spaceless.sure)) ||
  Number(namesTrade(b)) - Number(namesTrade(a));

/** Whether a run has two words or more besides the place, which it has if there is one. */
function mayBeName(run: Words, place: Words): boolean {
  const others = run.filter((word) => !place.includes(word));
  return others.length > 1 && (place.length === 0 || others.length < run.length);
}

/** Whether a run holds one of these trades, which may be of several words. */
function namesTrade(run: Words, trades = spaceless.known): boolean {
  const isTrade = (start: number, end: number) => trades.has(run.slice(start, end).join(""));
  return run.some((_, start) => run.some((_, last) => last >= start && isTrade(start, last + 1)));
}

/** `lock smith` and `bodyshop` are trades, too, however their names are written: search finds one by the other. */
const spaceless = { known: unspaced(knownTrades), sure: unspaced(sureTrades) };

function unspaced(trades: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...trades].map((trade) => trade.replaceAll(" ", "")));
}
