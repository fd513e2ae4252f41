/**
 * Everyday wordings of opening hours in OpenStreetMap's notation: "Mon to Thurs 9am-noon, closed Sundays" as
 * "Mo-Th 9am-12pm; Su off". The library knows many of them as well, but the checks before it only know the notation.
 */
export function inUsualForm(value: string): string {
  return value
    .replace(DAY, "$1")
    .replace(WHOLE_DAYS, "24 hours")
    .replace(/\b(?:open\s+)?7\s+days(?:\s+a\s+week)?\b/gi, "Mo-Su")
    .replace(/\b(?:12(?:[:.]00)?\s*)?(?:noon|midday)\b/gi, "12pm")
    .replace(/\b(?:12(?:[:.]00)?\s*)?midnight\b/gi, "12am")
    .replace(/\s+(?:to|till?|until|through)\s+|[‐‑‒–—−~]/gi, "-")
    .replace(HOLIDAYS, "PH")
    .replace(DAYS_APART, ",")
    .replace(/(?<!\|)\s*\|(?!\|)/g, ";") // Two of them are part of the notation.
    .replace(DIGITS_ALONE, "$1:$2-$3:$4")
    .replace(BRACKETS, " $1 ")
    .replace(TIMES_FIRST, (rules) => rules.replace(TIMES_AND_DAYS, "$2 $1"))
    .replace(COMMA_BEFORE_TIMES, "$1 ")
    .replace(CLOSED_FIRST, "; $1 off");
}

/** A time as people write it: 9:00, 9.00, 9 or 9 am. */
export const TIME = String.raw`\d?\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?)?`;

const WEEKDAY = "(?:Mo|Tu|We|Th|Fr|Sa|Su)";
const ONE_DAY = `(?:${WEEKDAY}|PH)`;

const AND = String.raw`\s*(?:[,&]|and)\s*`;
const TIMES = `${TIME}\\s*-\\s*${TIME}(?:${AND}${TIME}\\s*-\\s*${TIME})*`;
const DAYS = `${ONE_DAY}(?:(?:${AND}|\\s*-\\s*)${ONE_DAY})*`;
/** Without a comma. */
const FEW_DAYS = `${ONE_DAY}(?:\\s*(?:[-&]|and)\\s*${ONE_DAY})*`;

/** In two letters, which are captured, or in more: Tue, Tues., Tuesdays. An MOT is no Monday. */
const DAY = /\b(Mo(?!t)|Tu|We|Th|Fr|Sa|Su)(?:n|es?|ds?|dnes|u|urs?|i|t|tur)?(?:days?)?\b\.?/gi;

/** Nearly all bank holidays are Mondays, so "Bank Holiday Mondays" are not among the days of a normal week either. */
const HOLIDAYS = /\b(?:bank\s+hol(?:iday)?s?|BH)\b(?:\s+Mo\b(?!\s*-))?/gi;

/** The stroke in "Sat/Sun". */
const DAYS_APART = new RegExp(`(?<=\\b${ONE_DAY})\\s*/\\s*(?=${ONE_DAY}\\b)`, "gi");

/** "24hrs a day, 7 days a week". */
const WHOLE_DAYS = /\b24\s*(?:hours?|hrs?|h)\b(?:\s+a\s+day)?(?:[\s,]*7\s+days(?:\s+a\s+week)?)?/gi;

/** 0900-1730. Where no day is before them, 2024-2026 are years. */
const DIGITS_ALONE = new RegExp(
  `(?<![\\d:.])(?:(?<=\\b${WEEKDAY}\\s+)|(?!19|20))([01]\\d|2[0-3])([0-5]\\d)\\s*-\\s*([01]\\d|2[0-4])([0-5]\\d)(?![\\d:.])`,
  "gi",
);

/** The brackets in "Mon-Fri (9am-5pm)". */
const BRACKETS = new RegExp(`\\(\\s*(${TIMES}|${DAYS})\\s*\\)`, "gi");

/** "9am-5pm Monday to Friday". */
const TIMES_AND_DAYS = new RegExp(`(${TIMES})[\\s,]+(${DAYS})\\b`, "gi");

/**
 * Such rules from the beginning to the end. Where nothing separates two of them, there is no telling whether days
 * belong to the times before or after them.
 */
const TIMES_FIRST = new RegExp(
  `^\\s*${TIMES_AND_DAYS.source}(?:\\s*[,;]\\s*${TIMES_AND_DAYS.source})*(?=\\s*(?:;|$|,?\\s*closed(?:\\s+on)?\\s+${ONE_DAY}))`,
  "i",
);

/** The comma in "Mon-Fri, 9am-5pm". */
const COMMA_BEFORE_TIMES = new RegExp(`(\\b${ONE_DAY}),\\s*(?=\\d)`, "gi");

/** At the end of a rule. */
const LAST_DAYS = `${DAYS}(?:\\s+${DAYS})*(?=\\s*(?:;|$))`;

/** Before the comma and the days of the next rule. Of further commas, any may be the one between the rules. */
const DAYS_BEFORE_RULE = `${FEW_DAYS}(?=\\s*,\\s*${FEW_DAYS}[:\\s]*(?:\\d|closed|off))`;

/** "closed on Sundays"; the days are captured. Not the first word of "Sun closed, Mon 9am-5pm". */
const CLOSED_FIRST = new RegExp(
  `(?<!\\b${ONE_DAY}\\b[\\s:-]*)(?:[\\s,;]|\\band\\b)*\\bclosed(?:\\s+on)?\\s+(${LAST_DAYS}|${DAYS_BEFORE_RULE})`,
  "gi",
);
