import { exactWords, knownTrades } from "./synonyms.ts";
import { closest } from "./typos.ts";
import type { Words } from "./words.ts";

/**
 * `mecanic leeds` → `mechanic leeds`. Search forgives typing errors in the words of businesses, but knows everyday
 * names only as they are spelled. A word that a business has as it was typed is no error: Boots sells no books.
 * @param isSpelled whether a business anywhere has a word exactly as it is spelled, or its singular
 */
export async function withTradesCorrected(
  words: Words,
  isSpelled: (word: string) => Promise<boolean>,
): Promise<Words> {
  return await Promise.all(
    words.map(async (word) => {
      const trade = nearestTrade(word);
      return trade === undefined || (await isSpelled(word)) ? word : trade;
    }),
  );
}

/** The trade that a word was meant to be, if it may be misspelt. As in search, the first letter has to be right. */
function nearestTrade(word: string): string | undefined {
  if (exactWords.has(word)) return undefined;
  const alike = tradesOfOneWord.filter((trade) => trade[0] === word[0]);
  return closest(alike, (trade) => trade, word)[0];
}

const tradesOfOneWord = [...knownTrades].filter((trade) => !trade.includes(" "));
