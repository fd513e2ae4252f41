import { rangeOf } from "./clock-times.ts";
import { type Token, tokensOf } from "./everyday-tokens.ts";

/**
 * Opening hours as people write them in OpenStreetMap's notation: "Mon to Thurs 9am-noon, closed Sundays" as
 * "Mo-Th 09:00-12:00; Su off".
 * @returns null when they are in none of the forms below, or may mean something else
 */
export function readEveryday(text: string): string | null {
  const tokens = tokensOf(text.replace(/[,.]$/, "")) ?? [];
  const kinds = tokens.map(({ kind }) => kind).join("");
  for (const form of FORMS) {
    const found = [...kinds.matchAll(form)];
    const rules = found.map((rule) => ruleOf(rule, tokens));
    if (found.map(([rule]) => rule).join("") === kinds && !rules.includes(null)) {
      return rules.join("").replace(/^[,;] /, "") || null;
    }
  }
  return null;
}

// The forms are written in the letters and marks of KINDS: "Mon-Fri 9am-noon, Sun closed" is d-dt-t,dx.
const DAY = "(?:d-d|[dD])";
/**
 * "Bank Holidays Mon to Fri" must come last: days after it may also be of holidays. So may those in "School holidays,
 * Mon-Fri", but "Bank Holidays, Sun" is a list.
 */
const DAYS = `(?:(?:${DAY}+|h(?!,(?:d-d|D)))[,&/])*(?:${DAY}+|h${DAY}?)`;
const FEW_DAYS = `(?:${DAY}|h)(?:&(?:${DAY}|h))*`;
const TIMES = String.raw`\(?(?<times>t-t(?:[,&/]t-t)*|a)\)?`;

/** The comma in "closed Sat, Sun 10am-4pm" ends the rule; in a longer list, any comma may. */
const CLOSED_DAYS = `${FEW_DAYS}(?=,(?:${DAY}|h)[:-]?[(tax])|${DAYS}(?=$|[.]|[,&/]?[ox])`;
const CLOSED = `[,&/.]?[ox]:?(?<closed>${CLOSED_DAYS})`;
const OF_HOLIDAYS = String.raw`(?!^)[,&/.]?h[:,-]?(?:\(?(?:t-t|a)\)?|x)|^h$`;

const FORMS = [
  // Mon-Fri 9am-5pm, Sat: 9am-noon, Sun closed; or Thu-Sun 11am-5pm & Bank Holidays
  String.raw`(?<mark>[,&/.]?)\(?(?<days>${DAYS})\)?[:,-]?(?:${TIMES}|x)|${CLOSED}|[,&]h${DAY}?$`,
  // 9am-5pm Mon-Fri, 9am-noon Sat; without that comma, Mon-Fri may have either times.
  String.raw`(?<mark>^|[,&/.])${TIMES},?\(?(?<days>${DAYS})\)?|${CLOSED}|${OF_HOLIDAYS}`,
  // 9am-5pm, Sun closed
  `^${TIMES}(?=$|[,&/.]?[oxh]|[,/.]${DAY}[:-]?x)|[,/.](?<days>${DAY})[:-]?x|${CLOSED}|${OF_HOLIDAYS}`,
].map((form) => new RegExp(form, "dgy"));

/** A rule after "; ", or ", " if it adds to those before it; null if its times are unclear. */
function ruleOf(
  { indices, groups = {} }: RegExpExecArray,
  tokens: readonly Token[],
): string | null {
  const textOf = (group: string) =>
    tokens
      .slice(...(indices?.groups?.[group] ?? [0, 0]))
      .map(({ text }) => text)
      .join("");
  const days = (textOf("days") || textOf("closed"))
    .replace(/PH(?=\w).*/, "PH") // Certain days of holidays.
    .replace(/(?<=[a-z])(?=[A-Z])/g, ","); // "Mon Tue 9am-5pm"
  const times = groups.times ? timesOf(textOf("times")) : "off";
  if (!groups.times && days === "") return "; PH off"; // Their hours do not matter.
  const separator = groups.days && /[,&/]/.test(groups.mark ?? "") ? ", " : "; ";
  return times && separator + (days && `${days} `) + times;
}

/** Ranges in order. */
function timesOf(text: string): string | null {
  const ranges = text.split(",").map(rangeOf).toSorted();
  return ranges.includes(null) ? null : ranges.join();
}
