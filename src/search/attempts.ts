import { isCounty } from "../directory/counties.ts";
import { inseparable } from "./everyday-names.ts";
import { AS_NAME, isOfManyTrades, likelihood, spaceless } from "./likelihood.ts";
import { withTradesCorrected } from "./misspelt.ts";
import { placeIn, type Towns } from "./place.ts";
import { withoutQualifiers } from "./qualifiers.ts";
import { endsStreet, isOutcode, mayBeUnfinished, singular, type Words } from "./words.ts";

/** A query to try. */
export interface Attempt {
  words: Words;
  /** How likely it is to say what is wanted, among those of its step. */
  likelihood: number;
  /** Whether it finds only what has all these words in its name, its town and its postcode. */
  isName: boolean;
  /** Whether its last word may be unfinished although it is short. */
  isUnfinished?: boolean;
}

/** What the attempts ask the index on their way. */
interface Lookups {
  /** Whether these words find something by themselves. */
  isKnown(words: Words): Promise<boolean>;
  /** Whether something has these words in its name, its town and its postcode. */
  isNamed(words: Words): Promise<boolean>;
  /** Whether a business anywhere has this word exactly as it is spelled, or its singular. */
  isSpelled(word: string): Promise<boolean>;
  /**
   * The words of the town that most businesses of a district (`nr1`) are in, or of its area (`nr`) if it has none;
   * none if that has none either.
   */
  townAround(district: string): Promise<Words>;
}

/**
 * The queries to try, step by step, until one finds something; see bestOf for which of a step is the best.
 *
 * 1. All the words.
 * 2. Without the words that only say how it should be.
 * 3. Without the second half of a postcode, which names a street; the first half names a district.
 * 4. With misspelt trades corrected.
 * 5. With a short last word as the beginning of one in a name: `kings he` may become the King's Head.
 * 6. With the town in place of the district: what the district lacks, its town may have.
 * 7. The place with shorter and shorter runs of the other words, since whoever names a place wants what is
 *    there; then the town with the same runs.
 * 8. Shorter and shorter runs of all the words, in which the place counts as one word. The place alone, which finds
 *    all that is there, is one of the last: `greggs leeds` and `leeds greggs` alike find Greggs elsewhere. Only its
 *    county comes later: `leeds yorkshire` finds Leeds, not what has Yorkshire in its name.
 *
 * Steps that would change nothing are left out; without a place, step 8 follows step 5. Steps 7 and 8 are taken
 * twice: first with the runs that name a trade or may be a name, then with the rest. So `mens barber london`
 * finds barbers rather than working men's clubs, `plymouth dentist` and `dentist plymouth` alike find dentists
 * elsewhere, and `royal oak hotel canterbury` finds the pub of that name there rather than other hotels. What may be
 * a name is first looked for in names: an `accountant for small businesses` is no bar with small plates, and
 * `old kent road plumber london` no bakery in that road.
 *
 * The number of runs grows with the square of the number of words. So when there are many, those that find
 * nothing by themselves are dropped first. That loses next to nothing: a business has to match every word of a
 * run, so a run with such a word finds nothing either, unless two words are written as one.
 */
export async function* attempts(
  words: Words,
  towns: Towns,
  { isKnown, isNamed, isSpelled, townAround }: Lookups,
): AsyncGenerator<Attempt[]> {
  yield [anywhere(words)];
  let query = words;
  const correctTrades = (words: Words) => withTradesCorrected(words, isSpelled);
  const unqualified = (words: Words) => withoutQualifiers(words, towns, isNamed);
  for (const rewrite of [unqualified, withoutInwardCodes, correctTrades]) {
    const rewritten = await rewrite(query);
    if (rewritten.join() === query.join()) continue;
    query = rewritten;
    yield [anywhere(query)];
  }
  if (isShort(query.at(-1) ?? "")) {
    yield [{ ...anywhere(query), isName: true, isUnfinished: true }];
  }

  const { before, city, district, after } = placeIn(query, towns);
  const place = [...city, ...district];
  const [outcode] = district;
  const town = outcode === undefined || city.length > 0 ? city : await townAround(outcode);
  const isWider = outcode !== undefined && town.length > 0;
  if (isWider) yield [anywhere(withPlace([...before, ...after], town, before.length))];

  const endsOne = (words: Words, at: number) =>
    endsStreet(words, at) && !followsOnlyTrade(words, at, query, place);
  const pieces = [...inPieces(before, endsOne), place, ...inPieces(after, endsOne)];
  const others = pieces.filter((piece) => piece !== place);
  const known = await keepKnown(others, isKnown);
  // The run of all the pieces has been tried above.
  const around = (place: Words) =>
    runs(known, others.length - 1).map((step) => step.map((run) => withPlace(run, place)));
  const inOrder = pieces.filter((piece) => piece === place || known.includes(piece));
  const steps = [
    ...around(place),
    ...(isWider ? around(town) : []),
    ...(place.length > 0 ? runs(inOrder, others.length) : []),
  ];
  const telling = steps.map((step) => step.filter((query) => !query.every(isOfManyTrades)));
  yield* likeliestFirst(telling, [...place, ...town]);
}

const anywhere = (words: Words): Attempt => ({ words, likelihood: 0, isName: false });

/** Adds the place to words that do not have all of it already, as those of `plumber street` have Street in Somerset. */
const withPlace = (words: Words, place: Words, at = words.length): Words =>
  place.every((word) => words.includes(word)) ? words : words.toSpliced(at, 0, ...place);

/** Whether a word is too short to count as unfinished at first; an outcode never does. */
const isShort = (word: string) => !mayBeUnfinished(word) && !isOutcode(word);

/** `cafe nr2 1qr` and, half typed, `cafe nr2 1` → `cafe nr2`. */
function withoutInwardCodes(words: Words): Words {
  return words.filter(
    (word, at) => !(/^\d[a-z]{0,2}$/.test(word) && isOutcode(words[at - 1] ?? "")),
  );
}

/**
 * Each word is a piece, but the words of a county, such as `west yorkshire`, stay together, as do the last two of a
 * street, such as `church street`, and a few others.
 */
function inPieces(words: Words, endsOne: typeof endsStreet): Words[] {
  const pieces: string[][] = [];
  for (const [at, word] of words.entries()) {
    const last = pieces.at(-1);
    const both = [...(last ?? []), word].join(" ");
    const isOne = inseparable.has(singular(both)) || isCounty(both) || endsOne(words, at);
    if (last && isOne) last.push(word);
    else pieces.push([word]);
  }
  return pieces;
}

/**
 * Whether the word at this place follows the only trade of the query. It is wanted, even if a street seems to have its
 * name: of `florist in the parade` only `florist parade` is left.
 */
function followsOnlyTrade(words: Words, at: number, query: Words, place: Words): boolean {
  const lastTwo = words.slice(Math.max(at - 2, 0), at);
  const trade = spaceless.known.has(lastTwo.join("")) ? lastTwo : lastTwo.slice(-1);
  const others = query.filter((word) => !trade.includes(word) && word !== words[at]);
  return likelihood(trade, place) > AS_NAME && likelihood(others, place) <= AS_NAME;
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
 * Runs of neighbouring pieces among the first few: the longest first, those of one length together, from left
 * to right.
 * @param longest the most pieces in a run
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
 * First all steps with only their likely queries, then all of them again with the others. What may be a name is in
 * both: it is looked for first in names alone, then anywhere.
 */
function likeliestFirst(steps: readonly Words[][], place: Words): Attempt[][] {
  const judged = steps.map((step) =>
    step.map((words) => ({ words, likelihood: likelihood(words, place) })),
  );
  const likely = judged.map((step) =>
    step
      .filter(({ likelihood }) => likelihood > 0)
      .map((query) => ({ ...query, isName: query.likelihood === AS_NAME })),
  );
  const others = judged.map((step) =>
    step
      .filter(({ likelihood }) => likelihood <= AS_NAME)
      .map((query) => ({ ...query, likelihood: Math.min(0, query.likelihood), isName: false })),
  );
  return [...likely, ...others].filter((step) => step.length > 0);
}
