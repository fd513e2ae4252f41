import { decodeHTMLStrict } from "entities/decode";

/** One line as it should be kept: NFC, no control or invisible characters, single spaces, no HTML entities. */
export function cleanLine(text: string): string {
  return cleanId(withoutEntities(text));
}

/** Like cleanLine, but keeps entities: businesses are matched by their ids, which must not change. */
export function cleanId(text: string): string {
  // Most are clean, and this check costs a tenth as much.
  if (/^[!-~]+(?: [!-~]+)*$/.test(text)) return text;
  return withoutInvisible(text).replace(/\s+/g, " ").trim();
}

/**
 * Like cleanLine, for a part of an address: if a cell of a spreadsheet has several lines, commas separate them. A
 * comma with nothing before or after it, as where a formula joins cells of which some are empty, is removed.
 */
export function cleanAddress(text: string): string {
  const lines = withoutEntities(text)
    .split(/[\r\n]+/)
    .map(cleanId);
  const address = lines.filter(Boolean).join(", ");
  return address.includes(",")
    ? address.replace(/ ?,(?: ?,)+/g, ",").replace(/^[ ,]+|[ ,]+$/g, "")
    : address;
}

/** Like cleanAddress, but joins a name that wraps within its cell, as in Newcastle⏎upon Tyne. */
export function cleanPlace(text: string): string {
  if (!/[\r\n]/.test(text)) return cleanAddress(text);
  const joined = text
    .trim()
    .replace(/(?<!\S)(\S+)\s*[\r\n]\s*(?=(\S+))/g, (lines, before: string, after: string) =>
      JOINING.test(before) || JOINING.test(after) ? `${before} ` : lines,
    );
  return cleanAddress(joined);
}

// Not The or La, with which the name of a building or a village may begin.
const JOINING = /^(?:(?i:upon|on|under|by|in|of)|le|la|de|en|the|LE|LA|DE|EN)$/;

/** Whether a line stands for nothing, such as n/a, #N/A in a spreadsheet, or only a dash. */
export const isPlaceholder = (line: string) =>
  /^(?:#?n\/?a|none|unknown|various|null|tbc|please select|other|[-.]*)$/i.test(line);

/** Several lines, each cleaned; at most one empty line between two. */
export function cleanText(text: string): string {
  return withoutInvisible(withoutEntities(text))
    .replace(/\r\n?/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Feeds from websites have "Smith &amp; Son&#8217;s", and some encode twice: "Joe&amp;#39;s". */
export function withoutEntities(text: string): string {
  return text.includes("&") ? decodeHTMLStrict(decodeHTMLStrict(text)) : text;
}

// UTF-8 cannot hold a lone surrogate. Joiners (U+200C, U+200D) carry meaning.
function withoutInvisible(text: string): string {
  if (/^[\n -~]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\x80-\x9f]/g, asWindows1252)
    .normalize("NFC")
    .replace(/(?![\s\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}]/gu, "");
}

/**
 * Feeds have "Cornwell\x92s" where Windows-1252 was read as Latin-1. In Unicode these are control characters,
 * which nobody writes, so browsers read a &#146; in the same way.
 */
const asWindows1252 = (sign: string) => windows1252.decode(Uint8Array.of(sign.charCodeAt(0)));

const windows1252 = new TextDecoder("windows-1252");
