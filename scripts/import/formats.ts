import { basename } from "node:path";
import { makeSlug } from "../../src/directory/slug.ts";
import { CommandError } from "../terminal/command.ts";
import { readCsv } from "./csv.ts";
import { readFhrs } from "./fhrs.ts";
import type { Mapping } from "./mapping.ts";
import { readNdjson } from "./ndjson.ts";
import { readOsm } from "./osm.ts";
import type { Row } from "./row.ts";
import { AS_GEOJSON, readText } from "./text.ts";

/** How each format is read, and what the number of a row counts there. */
const readers = {
  ndjson: { read: readNdjson, rowName: "line" },
  csv: { read: readCsv, rowName: "line" },
  osm: { read: readOsm, rowName: "feature" },
  fhrs: { read: readFhrs, rowName: "establishment" },
};

export type Format = keyof typeof readers;
export const formats = Object.keys(readers) as Format[];

/**
 * The rows of a file, each a record or the reason why it is not one.
 * @throws CommandError when it is not of that format, or cannot be read to its end
 */
export const readRows = (
  format: Format,
  text: AsyncIterable<string>,
  mapping: Mapping | null,
): AsyncGenerator<Row> => readers[format].read(text, mapping);

export const rowNameOf = (format: Format) => readers[format].rowName;

/**
 * Guesses the format of a file from its beginning.
 * @throws CommandError when it is none of ours, or not text
 */
export async function guessFormat(file: string): Promise<Format> {
  const head = (await readHead(file)).replaceAll(RECORD_SEPARATOR, "").trim();
  if (head.startsWith("<")) {
    if (!/<osm\s/.test(head)) return "fhrs";
    throw new CommandError(`${file} is OpenStreetMap's XML: ${AS_GEOJSON}.`);
  }
  if (/^\{\s*(\}|"[^"]*"\s*:)/.test(head)) {
    const first = readJson(head.split("\n", 1)[0] ?? "");
    const isCollection = first && "type" in first && first.type === "FeatureCollection";
    if (isCollection || (!first && /"(FeatureCollection|features)"/.test(head))) return "osm";
    const otherwise = otherJson(head, first);
    if (otherwise === null) return "ndjson";
    throw new CommandError(`${file} ${otherwise}`);
  }
  if (/^\[\s*\{/.test(head)) {
    throw new CommandError(
      `${file} is a JSON array: put each record on its own line, for example with jq -c '.[]'.`,
    );
  }
  if (/\.(ndjson|jsonl)$/i.test(file)) return "ndjson";
  if (/\.csv$/i.test(file) || /^[^\n]*[,;\t|]/.test(head)) return "csv";
  if (head === "") throw new CommandError(`${file} is empty.`);
  throw new CommandError(
    `${file} is in no known format: give it with --format ${formats.join("|")}.`,
  );
}

/**
 * What to do with JSON whose records are not one to a line; null when they are.
 * @param first what its first line holds; null when that is not JSON
 */
function otherJson(head: string, first: object | null): string | null {
  if (first !== null && "type" in first && first.type === "Feature") {
    return `has one GeoJSON feature per line: combine them into one collection, for example with jq -s '{type: "FeatureCollection", features: .}'.`;
  }
  if (/"osm3s"/.test(head)) {
    return "is Overpass JSON: convert it to GeoJSON, for example with osmtogeojson.";
  }
  if (/^\{[^\S\n]*\n/.test(head)) {
    return "has JSON records that span lines: put each record on its own line, for example with jq -c '.'.";
  }
  return null;
}

/** Begins each line of the GeoJSON text sequences (RFC 8142) that osmium writes. */
const RECORD_SEPARATOR = "\u001e";

async function readHead(file: string): Promise<string> {
  let head = "";
  for await (const piece of readText(file)) {
    head += piece;
    if (head.length >= LONGEST_HEAD) break;
  }
  return head.slice(0, LONGEST_HEAD);
}

/** In characters: enough to recognise a format. */
const LONGEST_HEAD = 65_536;

/** The source of a feed without --source: the name of its format, or of its file. */
export function defaultSource(format: Format, file: string): string {
  if (format === "osm" || format === "fhrs") return format;
  return makeSlug(basename(file).replace(/\.[^.]*$/, "")) || format;
}

/** @returns null for anything but a JSON object */
function readJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
