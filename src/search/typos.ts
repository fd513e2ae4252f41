/**
 * The letters that a word needs for one typing error (`cofee`) to be forgiven, and for two. Shorter words have
 * to be right: British trade names are full of short words that are one letter apart (bar, bark, barn; vet,
 * vets, pet).
 */
export const MIN_WORD_SIZE_FOR_TYPOS = { oneTypo: 5, twoTypos: 9 };

/**
 * The number of typing errors between a word and the one that was typed; null when they are more than search
 * forgives. As in Meilisearch, two letters that have changed places count as one: the optimal string alignment
 * distance (https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance). An error in the first letter counts as
 * two in Meilisearch, but as one here.
 */
export function countTypos(word: string, typed: string): number | null {
  const most = typosForgiven(typed);
  if (word === typed) return 0;
  if (most === 0 || Math.abs(word.length - typed.length) > most) return null;
  // Each row has the distances between one prefix of `word` and all prefixes of `typed`.
  let before: number[] = [];
  let last = Array.from({ length: typed.length + 1 }, (_, length) => length);
  for (let i = 1; i <= word.length; i++) {
    const row = [i];
    for (let j = 1; j <= typed.length; j++) {
      const isSame = word[i - 1] === typed[j - 1];
      const isSwapped = word[i - 1] === typed[j - 2] && word[i - 2] === typed[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  const typos = at(last, typed.length);
  return typos <= most ? typos : null;
}

/** Those of these items whose word may have been meant, the one with the fewest typing errors first. */
export function closest<Item>(
  items: readonly Item[],
  wordOf: (item: Item) => string,
  typed: string,
): Item[] {
  return items
    .flatMap((item) => {
      const typos = countTypos(wordOf(item), typed);
      return typos === null ? [] : { item, typos };
    })
    .sort((a, b) => a.typos - b.typos)
    .map(({ item }) => item);
}

/** How many typing errors are forgiven in a word. */
function typosForgiven({ length }: string): 0 | 1 | 2 {
  const { oneTypo, twoTypos } = MIN_WORD_SIZE_FOR_TYPOS;
  if (length >= twoTypos) return 2;
  return length >= oneTypo ? 1 : 0;
}

const at = (row: readonly number[], place: number) => row[place] ?? Number.POSITIVE_INFINITY;
