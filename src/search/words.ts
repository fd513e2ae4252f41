/** Some of the words of a text. */
export type Words = readonly string[];

/**
 * The normalised words of a text. Documents and queries are normalised in the same way, so `B&Q`, `b and q` and
 * `BQ` are the same words, as are `McDonald's` and `mcdonalds`, `Co-op` and `coop`, or `Café` and `cafe`.
 */
export function searchWords(text: string): string[] {
  const words =
    text
      // Typed instead of an apostrophe; NFKD would turn it into a space and an accent.
      .replaceAll("´", "'")
      .normalize("NFKD")
      // Accents, which people leave out. In other scripts such marks may be vowels.
      .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
      .normalize("NFC")
      .toLowerCase()
      // To Unicode, these strokes are not accents.
      .replaceAll("ł", "l")
      .replaceAll("ø", "o")
      // Fish ’n’ chips, fish n chips and fish’n chips, but not N Smith’s initials.
      .replace(/(?<=\p{L}{2})(\s+['’‘]?|['’‘])n(['’‘]?\s+|['’‘])(?=\p{L}{2})/gu, " and ")
      .replace(/['’‘ʼ`]/g, "")
      .replaceAll("&", " and ")
      // As one word it would match the beginning of every Cooper.
      .replace(/\bcoop\b/g, "co op")
      // In a query, Meilisearch would not take all five words for one name.
      .replace(/\bpen[ -]y[ -]bont(?=[ -]ar[ -]ogwr\b)/g, "penybont")
      .replace(AREA_APART, joinOutcode)
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const whole = joinInitials(words).flatMap(splitPostcode);
  const telling = whole.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : whole;
}

/** The words of a text as documents have them. */
export const normalised = (text: string) => searchWords(text).join(" ");

/** The words of a query that count: Meilisearch itself ignores those after the tenth. */
export const queryWords = (text: string): Words => searchWords(text).slice(0, 10);

/**
 * Whether a word may be the beginning of another. Short words match only as they are: otherwise `bar` would find
 * every Barclays, and `nr1` would find NR10 to NR19.
 */
export function mayBeUnfinished(word: string): boolean {
  return word.length >= 4 && !isOutcode(word);
}

/** Whether a word is the first half of a postcode, such as `nr1` or `ec1a`, and not O2 or MP3. */
export function isOutcode(word: string): boolean {
  const [, area = ""] = /^([a-z]{1,2})\d[a-z\d]?$/.exec(word) ?? [];
  return postcodeAreas.has(area);
}

/** Whether a text is only a postcode: whole, its first half, or as far as it has been typed. */
export function isPostcode(text: string): boolean {
  const [outcode = "", inward = "", ...others] = searchWords(text);
  return isOutcode(outcode) && /^(\d[a-z]{0,2})?$/.test(inward) && others.length === 0;
}

/** The letters that postcodes begin with. */
const postcodeAreas = new Set(
  `ab al b ba bb bd bh bl bn br bs bt ca cb cf ch cm co cr ct cv cw da dd de dg dh dl dn dt dy e ec
  eh en ex fk fy g gl gu gy ha hd hg hp hr hs hu hx ig im ip iv je ka kt kw ky l la ld le ll ln ls
  lu m me mk ml n ne ng nn np nr nw ol ox pa pe ph pl po pr rg rh rm s sa se sg sk sl sm sn so sp
  sr ss st sw sy ta td tf tn tq tr ts tw ub w wa wc wd wf wn wr ws wv yo ze`.split(/\s+/),
);

/** The singular of a word in a category's name: `bakeries`, `churches`, `buses`, `houses`, `plumbers`. */
export function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|[^aeo]us|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return /.[^su]s$/.test(word) && word !== "gas" ? word.slice(0, -1) : word;
}

/**
 * Whether the word at this place is the last of a street's name, in which the word before it is no trade, town or
 * qualifier: Church Street, Leeds Road, New Road. Left out are those that are often something else, such as `st`
 * (saint), `place` (to eat) and `drive` (learn to).
 */
export function endsStreet(words: Words, at: number): boolean {
  const isLast = /^(avenue|ave|crescent|lane|parade|road|rd|square|street|terrace)$/;
  return isLast.test(words[at] ?? "") && !/^(food|dance)$/.test(words[at + 1] ?? "");
}

/** Words that mean nothing by themselves in `plumber in leeds` or `the garage near me`. */
const fillers = new Set(
  "a an and at by for from in me my near nearby of on or the to with".split(" "),
);

/** `b and q` → `bq`, `w h smith` → `wh smith`: single letters in a row are initials. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isInitials = false;
  for (const word of words) {
    const isLetter = /^\p{L}$/u.test(word);
    if (isLetter && isInitials) joined.push(joined.pop() + word);
    else if (word === "and" && isInitials) continue;
    else joined.push(word);
    isInitials = isLetter;
  }
  return joined;
}

/**
 * `nr 2 4na` → `nr2 4na`. But not across a comma (`Frost & Co, 9 High Street` is in no district of Colchester), after
 * an `and` or a number (`Frost & Co 9`, `24 hr 7 days`), or when the area ends longer initials (`M.A.S.S. 53 High
 * Street`), is a single letter, which may be that of a unit or a flat, is short for street, or is a filler (`near
 * me 24 hours`).
 */
function joinOutcode(halves: string, written: string): string {
  const area = written.replaceAll(".", "");
  return area !== "st" && !fillers.has(area) && postcodeAreas.has(area) ? area : halves;
}

/** The area of a postcode that is written apart: `nr` in `nr 2 4na` and `nr 24na`, `s.w.` in `s.w.1`. */
const AREA_APART =
  /(?<![\p{L}\p{M}\p{N}]\.?|\b(?:and|\d+)\s+)([a-z]{2}|[a-z]\.[a-z]\.)\s*(?=\d[a-z\d]?(?:\d[a-z]{2})?(?![\p{L}\p{N}]))/gu;

function splitPostcode(word: string): string[] {
  const halves = /^([a-z]{1,2}\d[a-z\d]?)(\d[a-z]{2})$/.exec(word);
  return halves ? halves.slice(1) : [word];
}
