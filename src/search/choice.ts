import { plural } from "../plural.ts";
import type { Attempt } from "./attempts.ts";
import type { Matches } from "./batching.ts";
import { synonyms } from "./synonyms.ts";

/** An attempt, and what it found. */
type Answered = Pick<Attempt, "words" | "likelihood"> & { matches: Matches };

/**
 * The best of the attempts of a step that have found something, if there are any:
 *
 * 1. The likeliest.
 * 2. Of equally likely ones, that with the fewest misspelt words. A word that has synonyms is not misspelt, nor one that
 *    some business has, as it is or in the plural: `blood test` does not mean the florist's blooms, nor `marquee tent`
 *    all tents.
 * 3. Of these, that with the fewest matches, since its words say most.
 * @param isSpelled whether a business anywhere has a word exactly as it is spelled, or its singular
 */
export async function bestOf<Tried extends Answered>(
  answered: readonly Tried[],
  isSpelled: (word: string) => Promise<boolean>,
): Promise<Tried | undefined> {
  const found = answered.filter(({ matches }) => matches.total > 0);
  const most = Math.max(...found.map(({ likelihood }) => likelihood));
  const likeliest = found.filter(({ likelihood }) => likelihood === most);
  if (likeliest.length < 2) return likeliest[0];

  const words = [...new Set(likeliest.flatMap((attempt) => attempt.words))];
  const areSpelled = await Promise.all(
    words.map(
      async (word) =>
        Object.hasOwn(synonyms, word) || (await isSpelled(word)) || (await isSpelled(plural(word))),
    ),
  );
  const misspelt = words.filter((_word, at) => !areSpelled[at]);
  const countMisspelt = ({ words }: Tried) =>
    words.filter((word) => misspelt.includes(word)).length;
  const [best] = likeliest.toSorted(
    (a, b) => countMisspelt(a) - countMisspelt(b) || a.matches.total - b.matches.total,
  );
  return best;
}
