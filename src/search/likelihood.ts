import { isCounty } from "../directory/counties.ts";
import { knownTrades, sureTrades } from "./synonyms.ts";
import { endsStreet, singular, type Words } from "./words.ts";

/** The likelihood of what may be a name. */
export const AS_NAME = 1;

/**
 * How likely a query is to say what is wanted:
 *
 * -  3: it names a trade that is wanted whatever else is named
 * -  2: it names another trade
 * -  1: it may be a name (AS_NAME)
 * -  0: none of these
 * - -1: all its words are of the place, or of many trades
 * - -2: it is only the county of the place
 */
export function likelihood(query: Words, place: Words): number {
  // First: Church Crookham is no church.
  if (query.every((word) => place.includes(word) || isOfManyTrades(word))) return -1;
  const telling = withoutStreets(query, place);
  if (namesTrade(telling, spaceless.sure)) return 3;
  if (namesTrade(telling, spaceless.known)) return 2;
  if (place.length > 0 && isCounty(query.join(" "))) return -2;
  return mayBeName(telling, place) ? AS_NAME : 0;
}

/**
 * Whether a word says nothing alone: whoever looks for a lego shop, and there is none, does not want every shop, nor
 * all that is taught, fitted or hired out when it is a cookery class, a fitted kitchen or a bike for hire.
 */
export const isOfManyTrades = (word: string) => ofManyTrades.has(singular(word));

const ofManyTrades = new Set(
  "class company course fitted hire installation lesson repair service shop store".split(" "),
);

/** `vet church street leeds` → `vet leeds`. But the town Street is no street. */
function withoutStreets(words: Words, place: Words): Words {
  const isLast = (at: number) => endsStreet(words, at) && !place.includes(words[at] ?? "");
  return words.filter((_, at) => !isLast(at) && !isLast(at + 1));
}

/** Whether a query has two words or more besides the place, and the place itself if there is one. */
function mayBeName(query: Words, place: Words): boolean {
  const others = query.filter((word) => !place.includes(word));
  return others.length > 1 && (place.length === 0 || others.length < query.length);
}

/** Whether a query names one of these trades, in one word or several neighbouring ones. */
function namesTrade(query: Words, trades: ReadonlySet<string>): boolean {
  return query.some((_, start) =>
    query.some((_, last) => trades.has(query.slice(start, last + 1).join(""))),
  );
}

/** Without spaces, so that `lock smith` and `bodyshop` are trades too: search finds either spelling by the other. */
export const spaceless = { known: unspaced(knownTrades), sure: unspaced(sureTrades) };

function unspaced(trades: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...trades].map((trade) => trade.replaceAll(" ", "")));
}
