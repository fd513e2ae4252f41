import { placeIn, type Towns } from "./place.ts";
import { knownTrades } from "./synonyms.ts";
import { endsStreet, type Words } from "./words.ts";

/**
 * The words without those that only say how or when something is wanted, or what of it, unless there are no others.
 * @param isNamed whether something has all these words in its name, its town and its postcode
 */
export async function withoutQualifiers(
  words: Words,
  towns: Towns,
  isNamed: (words: Words) => Promise<boolean>,
): Promise<Words> {
  const { city, district } = placeIn(words, towns);
  const place = [...city, ...district];
  const first = words.indexOf("new");
  const next = words[first + 1] ?? "";
  // Without it, New Inn would be any inn. In quotation marks, the one word has to follow the other.
  const isName =
    first >= 0 &&
    next !== "" &&
    !place.includes(next) &&
    (await isNamed([`"new ${next}"`, ...place]));
  const wanted = words.filter((word, at) => {
    const pairs = [`${words[at - 1]} ${word}`, `${word} ${words[at + 1]}`];
    return (
      (isName && word === "new") ||
      place.includes(word) ||
      endsStreet(words, at + 1) ||
      pairs.some((pair) => knownTrades.has(pair) || towns.has(pair)) ||
      !(qualifiers.has(word) || pairs.some((pair) => QUALIFYING_PAIR.test(pair)))
    );
  });
  return wanted.length > 0 ? wanted : words;
}

/** Addresses do not say that they are in the centre of their town. */
const QUALIFYING_PAIR = /^((city|town) cent(re|er)|phone number)$/;

/**
 * Words that mostly say only how or when. Even so, they are searched for at first, since a name may contain them, and
 * stay where they are part of a trade (night club, things to do), of a town (New Mills), of a street (New Road), or, if
 * it is `new`, of a name in the place (New Inn).
 */
const qualifiers = new Set(
  `24 24h 24hr 24hrs 7 address affordable any anyone anywhere are around as asap best buy can cheap
  cheapest close closed closes closest closing contact cost costs details directions do does emergency find
  fix fixed fixes fixing get good here hour hours how hr hrs i is late local looking menu much nearest need
  new night now number open opening opens please possible price prices rated recommended reliable reviews
  shut shuts some somebody someone somewhere soon telephone tell there time times today tomorrow tonight
  top trusted until urgent very want website weekend what when where which who you monday tuesday wednesday
  thursday friday saturday sunday`.split(/\s+/),
);
