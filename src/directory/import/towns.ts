import { memoized } from "../../memoized.ts";
import { beforeCounty, isCounty, isIsland } from "../counties.ts";
import { isSlug, makeSlug } from "../slug.ts";
import { cleanPlace, isPlaceholder } from "./text.ts";

/** A town by its name; spellings with the same slug are the same town. */
export interface Town {
  slug: string;
  name: string;
}

/**
 * The town that a part of an address names: "NORWICH, Norfolk" is Norwich. Null when it names none, only a
 * street, a county, a postcode or a building.
 */
export function readTown(text: string): Town | null {
  return text.length > LONGEST_TEXT ? null : read(text);
}

/**
 * As for a city in record.ts. Other texts of a feed are tried as well, however long, and the patterns below
 * would take too long on them.
 */
const LONGEST_TEXT = 200;

// Feeds repeat a few thousand towns in millions of rows.
const read = memoized(20_000, parse);

function parse(text: string): Town | null {
  const parts = separated(cleanPlace(text)).map(withoutSurroundings).map(firstName);
  const towns = parts.filter(isTown);
  const name = towns.findLast((town) => !isIsland(town)) ?? towns.at(-1);
  if (name === undefined) return null;
  return townNamed(withoutAbbreviations(withCase(name)));
}

function townNamed(name: string): Town | null {
  const slug = makeSlug(name);
  // A slug may be far longer than its name: each & becomes "and". A name grows where normalisation or lower case
  // takes more characters, as for İ.
  return isSlug(slug) && name.length <= LONGEST_TEXT ? { slug, name } : null;
}

/**
 * The town of a display name, as our own format has it: it stays as it is, unless it is in capitals. Null for a
 * placeholder such as n/a. One with a comma is a part of an address.
 */
export function readCityName(text: string): Town | null {
  const name = cleanPlace(text);
  if (name.includes(",")) return readTown(name);
  if (!/\p{L}/u.test(name) || isPlaceholder(name)) return null;
  return townNamed(name === name.toUpperCase() ? withCase(name) : name);
}

/** Whether a part of an address names this town and nothing else. */
export function namesOnly(part: string, { slug }: Town): boolean {
  if (part.length > LONGEST_TEXT) return false;
  const name = withoutSurroundings(part);
  return [name, withoutAbbreviations(withCase(name))].some((one) => makeSlug(one) === slug);
}

/** Splits at commas, and where one is missing, as in Cranham. Upminster, or Market Street Bolton. */
function separated(text: string): string[] {
  return (
    text
      .replace(/(?<!\bM[ac]{1,2})(?<=\p{Ll})(?=\p{Lu})/gu, ",")
      .replace(/(?<=\p{Ll}{3})\. /gu, ",")
      // Not in Green Street Green or Belper Lane End.
      .replace(/ (street|road|rd|avenue|lane) (?!(?:green|ends?|head)(?:,|$))(?=\p{L})/giu, " $1,")
      .split(",")
  );
}

/** Strips postcodes, counties and a "near" from around the name. */
function withoutSurroundings(part: string): string {
  const bare = part
    .replace(/\b[A-Z]{1,2}\d[A-Z\d]?( ?\d[A-Z]{2})?$/i, "")
    .replace(/^[\s.;:'"-]+|[\s.;:'"-]+$/g, "")
    .replace(/^(nr\. ?|nr |near )/i, "")
    .replace(/(?<=.)(?<! new) (city|town) cent(re|er)$/i, "");
  const isName = isCounty(bare) || isIsland(bare) || ENDS_AS_COUNTY.test(bare);
  const before = isName ? undefined : beforeCounty(bare);
  // In Bradford on Avon, Avon is no county.
  const name = before && !SMALL_WORDS.test(before.split(" ").at(-1) ?? "") ? before : bare;
  // Norwich Norfolk UK needs another round: if Norwich Norfolk became a city, its name would be taken for a
  // town's.
  return name === part ? name : withoutSurroundings(name);
}

/** The first name of a town that has two, as in Derry/Londonderry or Caerdydd / Cardiff. */
function firstName(part: string): string {
  // Not for "Boots H/C" or "A Ltd T/a B", which occur in some addresses.
  const [, first, second] = /^([^/]*\p{L}{3}) ?\/ ?(\p{Lu}\p{L}{2}[^/]*)$/u.exec(part) ?? [];
  return first && second && isTown(first) && isTown(second) ? first : part;
}

function isTown(name: string): boolean {
  return (
    /^\p{L}[\p{L}\p{M} .'’&()!-]{2,59}$/u.test(name) &&
    !isCounty(name) &&
    !NO_TOWN.test(name) &&
    !isPlaceholder(name) &&
    (!STREET.test(name) || NAMED_AS_STREET.test(name))
  );
}

/**
 * Capitalises a name written in a single case, and a word left in lower case, as in Barrow upon humber. Puts
 * small words in lower case.
 */
function withCase(name: string): string {
  const isOneCase = name === name.toUpperCase() || name === name.toLowerCase();
  return name.replace(/[\p{L}\p{M}'’]+/gu, (word, start: number) => {
    const lower = word.toLowerCase();
    if (start > 0 && SMALL_WORDS.test(word)) return lower;
    const before = name.slice(0, start);
    // Elsewhere small words are often right, as in Pont-faen and Boat o' Brig.
    const isForgotten =
      word === lower &&
      (/[ -](?:on|by|the)[ -]$/i.test(before) || (before.endsWith(" ") && word.length > 3));
    if (!isOneCase && !isForgotten) return word;
    return lower.replace(/^(?:o['’])?\p{L}/u, (first) => first.toUpperCase());
  });
}

/** As most people write it: Great Yarmouth, North Walsham and St Albans. */
function withoutAbbreviations(name: string): string {
  return name
    .replace(/^Gt\.? ?(?=\p{Lu})/u, "Great ")
    .replace(
      /^([NSEW])(?:\. ?| )(?=\p{Lu}\p{L}{2})/u,
      (_, letter: string) => `${directions[letter]} `,
    )
    .replace(/ u\.? (?=Ly[mn]e\b)/, " under ")
    .replace(/ u\.? (?=\p{Lu})/u, " upon ")
    .replace(/\bSaint(?=[ -]\p{Lu})/gu, "St")
    .replace(/\bSt\. ?(?=\p{Lu})/gu, "St ");
}

const directions: Readonly<Record<string, string>> = {
  N: "North",
  S: "South",
  E: "East",
  W: "West",
};

const SMALL_WORDS =
  /^(u|upon|on|in|at|by|en|le|la|de|the|under|next|near|with|cum|of|or|and|sub|super|y|yr|yn|ar|na|nan|a['’])$/i;

const ENDS_AS_COUNTY = /^(coupar angus|dinas powys|llanfair dyffryn clwyd|new england)$/i;

// The last word of a street's name. Not "hill", "green", "gate" or "row", in which towns end as well.
export const STREET =
  /^.+[ -](street|str?|road|rd|avenue|ave|lane|ln|close|drive|way|crescent|terrace|mews|parade|square|gardens|boulevard|arcade|court|walk|grove)\.?$/i;

// Towns that are named like streets.
const NAMED_AS_STREET =
  /^(.+[ -]le[ -]street|(hazel|golden) grove|(easington|high) lane|(grampound|st\.? columb|clarbeston) road)$/i;

const NO_TOWN =
  /\b(centre|center|precinct|supermarket|surgery|hospital|estate|retail park|business park|shopping|unit|floor|stall|pharmacy|store|stores|superstore|shop|building|house|mobile)\b|^((north|south)( (east|west))?|east|west|mid)$/i;
