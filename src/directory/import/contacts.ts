import {
  findPhoneNumbersInText,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import { memoized } from "../../memoized.ts";
import { emailPattern } from "../email.ts";
import { cleanLine } from "./text.ts";

// Each of these reads what people write into one field. Of several values the first usable one
// is taken; null means that none is.

// In characters. A record with more is rejected; but cells of a table are tried as well, however long, and
// the patterns below would take too long on them.
export const LONGEST_PHONE = 300;
export const LONGEST_EMAIL = 300;
export const LONGEST_WEBSITE = 2_000;

/** A British telephone number in national format. */
export function readPhone(text: string): string | null {
  return text.length > LONGEST_PHONE ? null : phoneOf(text);
}

/**
 * Cached, since many branches give the number of their head office, and reading one takes as long as reading
 * a row.
 */
const phoneOf = memoized(20_000, parsePhone);

function parsePhone(phone: string): string | null {
  // From a spreadsheet that took numbers without their leading zero for amounts.
  const text = phone.replace(/^(\d+)\.0$/, "$1");
  for (const given of text.split(/[;,/|&\n]|\b(?:or|and)\b/i)) {
    const part = given.replace(/\bfax\b(?=\D*\d).*$/i, "");
    if (/\bfax\b|^\s*f\b/i.test(part)) continue;
    // Searching a text for a number takes as long again as parsing it.
    const isNumberAlone = /^[+\d][\d ()-]*\d$/.test(part);
    const number = parsePhoneNumberFromString(part, {
      defaultCountry: "GB",
      extract: !isNumberAlone,
    });
    if (number && isBritish(number)) return nationalFormat(number);
    // As in "01603 612345 (24 hours)", all of whose digits look like one number.
    if (!/\p{L}/u.test(part)) continue;
    const found = findPhoneNumbersInText(part, "GB").find((one) => isBritish(one.number));
    if (found) return nationalFormat(found.number);
  }
  return firstOfSeveral(text);
}

/** The number at the beginning of digits with nothing but space between two numbers. */
function firstOfSeveral(text: string): string | null {
  if (!/^[\d\s()+/-]+$/.test(text)) return null;
  const groups = text.trim().split(/[\s/]+/);
  for (let count = groups.length; count > 0; count--) {
    const number = parsePhoneNumberFromString(groups.slice(0, count).join(" "), "GB");
    if (number && isBritish(number)) return nationalFormat(number);
  }
  return null;
}

function isBritish(number: PhoneNumber): boolean {
  // The library knows only ranges in use, and not those reserved for drama.
  const isReserved = /^(1154960|1632960|7700900)\d{3}$/.test(number.nationalNumber);
  // A typing error easily turns a British number into a foreign one.
  return number.countryCallingCode === "44" && (isReserved || number.isValid());
}

function nationalFormat(number: PhoneNumber): string {
  // Feeds put a second number where the extension belongs, with or without its first digits.
  if ((number.ext?.length ?? 0) > LONGEST_EXTENSION) number.setExt("");
  return number.formatNational();
}

/** In digits; numbers within a town have up to eight. */
const LONGEST_EXTENSION = 7;

/** A web address with a scheme: http or https only, without credentials. */
export function readWebsite(text: string): string | null {
  if (text.length > LONGEST_WEBSITE) return null;
  const line = cleanLine(text);
  if (WITH_SPACE.test(line)) return null;
  const parts = line
    .split(/[;|\s]+|,(?=\s|$|www\.|https?:)/i)
    .map((part) => part.replace(/^((?:https?:\/\/)?[^/?#]*?)\.+$/i, "$1"))
    .filter(Boolean);
  // Beside a whole address a bare name may be the rest of it: "http://exa mple.com" is not mple.com.
  const whole = parts.filter((part) => /^https?:/i.test(part));
  for (const part of whole.length > 0 ? whole : parts) {
    const address = /^https?:\/\//i.test(part) ? part : `https://${part.replace(/^\/\//, "")}`;
    if (!URL.canParse(address)) continue;
    const { href, hostname, username, password } = new URL(address);
    // "mailto:a@b.example" and "ftp://b.example" end up as something without a proper host, and so does what
    // has shifted in from other columns: 4.5 as 4.0.0.5, or a name as m.c.s.
    if (!/^([\w-]+\.)+[a-z][\w-]+$/.test(hostname) || username !== "" || password !== "") continue;
    if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(part) && !/^https?:\/\//i.test(part)) continue;
    return href === `${address}/` ? address : href;
  }
  return null;
}

/**
 * "https://a.example/our shop" may be one address with a space in it: cut short, it would lead elsewhere.
 * Where another address follows, there are two.
 */
const WITH_SPACE =
  /^(?:https?:\/\/|(?!https?:))[^\s/?#]+\/\S*[\p{L}\d] (?!https?:|www\.)[\p{L}\d]/iu;

export function readEmail(text: string): string | null {
  if (text.length > LONGEST_EMAIL) return null;
  for (const part of cleanLine(text).split(/[;,:/|\s<>()[\]"?]+/)) {
    const address = part.replace(/^['‘]|[.'’]+$/g, "");
    if (address.length <= 254 && emailPattern.test(address)) return address;
  }
  return null;
}

/**
 * A postcode as the Royal Mail writes it: "nr21ll" is NR2 1LL. Where only a digit can be, O is 0 and
 * I is 1.
 */
export function readPostcode(text: string): string | null {
  const [, area, district, sector, unit] =
    /^([A-Z]{1,2})(\d[A-Z\d]?)([\dOI])([A-Z]{2})$/.exec(
      text.toUpperCase().replace(/[^A-Z\d]/g, ""),
    ) ?? [];
  if (!area || !district || !sector) return null;
  return `${area}${withDigits(district)} ${withDigits(sector)}${unit}`;
}

const withDigits = (text: string) => text.replace("O", "0").replace("I", "1");

/** The first half of a postcode: NR2 of NR2 1LL. */
export function outcodeOf(postcode: string): string {
  return postcode.split(" ", 1)[0] ?? "";
}
