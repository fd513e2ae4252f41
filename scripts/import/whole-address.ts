import { isCounty } from "../../src/directory/counties.ts";
import { readPostcode } from "../../src/directory/import/contacts.ts";
import { cleanPlace } from "../../src/directory/import/text.ts";
import {
  namesOnly,
  readCityName,
  readTown,
  STREET,
  type Town,
} from "../../src/directory/import/towns.ts";
import { makeSlug } from "../../src/directory/slug.ts";
import type { FieldName, Fields } from "./fields.ts";
import { isHouseNumber } from "./row.ts";

/**
 * Makes 12 High Street the first line of "12 High Street, Horsforth, Leeds, West Yorkshire, LS18 4SE", and Horsforth
 * the second, unless there is one: a first line need not end with what is the town and the postcode anyway, nor with
 * a county or country beside them. Where these are the same text, the town and the postcode are looked for in it.
 */
export function takeApart(fields: Fields): Fields {
  const cell = (field: FieldName) => String(fields.get(field) ?? "");
  const line = cell("address.line1");
  // Most are one line without any of these, and a postcode alone.
  const isSingle = !/[,\r\n]|\d[a-z]{2}\b/i.test(line);
  if (isSingle && cell("address.postcode").length <= LONGEST_POSTCODE) return fields;
  if (line.length > LONGEST) return fields;

  const text = (field: FieldName) => cleanPlace(cell(field));
  const whole = text("address.line1");
  const isWhole = (field: FieldName) => text(field) === whole;
  const parts = partsOf(whole);
  const apart = new Map(fields);

  const cityText = isWhole("city") ? withoutHouse(parts).join(", ") : text("city");
  const town = readTown(cityText) ?? (isWhole("city") ? null : readCityName(cityText));
  if (isWhole("city")) apart.set("city", town?.name ?? cityText);

  const postcode = findPostcode(text("address.postcode"));
  if (postcode !== null) apart.set("address.postcode", postcode);
  // The last part of the address is told of as unusable.
  else if (isWhole("address.postcode")) apart.set("address.postcode", parts.at(-1) ?? "");

  const lines = withoutEnd(parts, town, postcode);
  if (lines === null) return apart;
  if (lines.length > 1 && makeSlug(lines[0] ?? "") === makeSlug(text("name"))) lines.shift();
  const hasOther = text("address.line2") !== "" && !isWhole("address.line2");
  const count = hasOther ? lines.length : countOfFirstLine(lines);
  apart.set("address.line1", lines.slice(0, count).reduce(joined));
  if (!hasOther) apart.set("address.line2", lines.slice(count).join(", "));
  return apart;
}

/** Without the first part, which may be the name of a house, unless only postcodes and counties come after it. */
function withoutHouse([first = "", ...others]: readonly string[]): string[] {
  const isAlone = others.every((part) => isCounty(part) || isPostcode(part));
  return isAlone ? [first, ...others] : others;
}

/** Whether a part of an address comes before the town in a text. */
export function holdsMore(text: string): boolean {
  const [, ...others] = text.length > LONGEST ? [] : partsOf(cleanPlace(text));
  return readTown(others.join(", ")) !== null;
}

/** In characters: cells of a table may be far longer, and the patterns below would take too long on them. */
const LONGEST = 1_000;

const LONGEST_POSTCODE = 8;

/** A postcode, alone or at the end of a part of an address, as in Leeds LS1 4AB, England. */
export function findPostcode(text: string): string | null {
  const alone = readPostcode(text);
  if (alone !== null || text.length > LONGEST) return alone;
  const ends = partsOf(cleanPlace(text)).flatMap((part) => postcodeAtEnd(part)?.postcode ?? []);
  return ends.at(-1) ?? null;
}

/** Whether a part of an address is a postcode and nothing else but perhaps a county. */
export const isPostcode = (part: string) => postcodeAtEnd(part)?.before === "";

/** In a text, only what looks like one in full: Unit A1, Old Mill is not A1 0LD. */
function postcodeAtEnd(part: string): { before: string; postcode: string } | null {
  const [, before = "", found = "", after = ""] =
    /^(.* )?([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b[. ]*(.*)$/i.exec(part) ?? [];
  const postcode = readPostcode(found);
  return postcode && (after === "" || isCounty(after)) ? { before: before.trim(), postcode } : null;
}

/**
 * The parts of an address without those at its end that repeat the town or the postcode, nor any county among them; null
 * when nothing repeats them. The first part stays: it may be all that is known.
 */
function withoutEnd(given: readonly string[], town: Town | null, postcode: string | null) {
  const parts = [...given];
  let isRepeated = false;
  for (;;) {
    const last = parts.pop() ?? "";
    const end = postcodeAtEnd(last);
    const bare = end !== null && end.postcode === postcode ? end.before : last;
    const isTown = town !== null && namesOnly(bare, town);
    const isLeftOut = bare === "" || isTown || isCounty(bare.replace(/\.$/, ""));
    isRepeated ||= bare !== last || (isTown && parts.length > 0);
    if (parts.length === 0 || !isLeftOut) return isRepeated ? [...parts, bare || last] : null;
  }
}

/** Up to the last part with a number, or that is a street: what comes after a number alone is one, too. */
function countOfFirstLine(parts: readonly string[]): number {
  const last = Math.max(
    parts.findLastIndex((part) => /\d/.test(part) || STREET.test(part)),
    0,
  );
  return last + (isHouseNumber(parts[last] ?? "") ? 2 : 1);
}

/** Puts a house number right before its street, but not 14 before 16 in 14, 16 Lower Goat Lane. */
function joined(line: string, part: string): string {
  const isNumbered = isHouseNumber(line.split(", ").at(-1) ?? "") && !/^\d/.test(part);
  return `${line}${isNumbered ? " " : ", "}${part}`;
}

const partsOf = (line: string) =>
  line
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
