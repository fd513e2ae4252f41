import { knownTrades } from "./synonyms.ts";
import { countTypos } from "./typos.ts";
import type { Words } from "./words.ts";

/**
 * `mecanic leeds` → `mechanic leeds`. Search forgives a typing error in what a business says of itself, but everyday
 * names it knows only as they are spelled. What somebody spells like that is no error: Boots sells no books.
 * @param findSpelled those of some words that a business anywhere has just as they are spelled
 */
export async function withTradesCorrected(
  words: Words,
  findSpelled: (words: Words) => Promise<Words>,
): Promise<Words> {
  const corrections = new Map(words.map((word) => [word, nearestTrade(word)]));
  const doubtful = words.filter((word) => corrections.get(word) !== undefined);
  if (doubtful.length === 0) return words;
  for (const word of await findSpelled(doubtful)) corrections.delete(word);
  return words.map((word) => corrections.get(word) ?? word);
}

/** The trade that a word was meant to be, if it is none. As for search, the first letter has to be right. */
function nearestTrade(word: string): string | undefined {
  if (tradesOfOneWord.has(word)) return undefined;
  const typos = (trade: string) => (trade[0] === word[0] ? countTypos(trade, word) : null);
  const near = [...tradesOfOneWord].filter((trade) => typos(trade) !== null);
  return near.toSorted((a, b) => (typos(a) ?? 0) - (typos(b) ?? 0))[0];
}

const tradesOfOneWord = new Set([...knownTrades].filter((trade) => !trade.includes(" ")));
