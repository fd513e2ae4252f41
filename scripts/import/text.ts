import { grouped } from "../../src/numbers.ts";
import { CommandError } from "../terminal/command.ts";
import { LONGEST_ROW } from "./row.ts";

/**
 * The text of a file in pieces, never all of it at once.
 * @param onBytes called with the number of bytes of each piece
 * @throws CommandError when the file cannot be read, is compressed or is not UTF-8
 */
export async function* readText(
  file: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** Where the piece that is being decoded begins and ends. */
  let [from, to] = [0, 0];
  try {
    for await (const piece of Bun.file(file).stream()) {
      if (to === 0) refuseBinary(file, inLatin1(piece.subarray(0, 8)));
      [from, to] = [to, to + piece.byteLength];
      const text = decoder.decode(piece, { stream: true });
      onBytes(piece.byteLength);
      if (text !== "") yield text;
    }
    decoder.decode();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT") throw new CommandError(`There is no file ${file}.`);
    if (code === "EISDIR") throw new CommandError(`${file} is not a file.`);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") throw await notUtf8(file, from, to);
    throw error;
  }
}

/** @param start the first bytes of the file, each a character */
function refuseBinary(file: string, start: string): void {
  if (BINARY.test(start)) {
    throw new CommandError(
      `${file} is compressed or a spreadsheet: unpack it first, or save it as CSV.`,
    );
  }
  if (OSM_PBF.test(start)) {
    throw new CommandError(`${file} is OpenStreetMap's binary format: ${AS_GEOJSON}.`);
  }
  const unmarked = UNMARKED_UTF_16.exec(start);
  if (unmarked) {
    throw new CommandError(
      `${file} is UTF-16: convert it first, for example with iconv -f UTF-16${unmarked[1] ? "LE" : "BE"} -t UTF-8.`,
    );
  }
}

/** What to do with other formats of OpenStreetMap. */
export const AS_GEOJSON =
  "convert it to GeoJSON, for example with osmium export -a type,id -o places.geojson";

/** The magic numbers of gzip, zip (and .xlsx, .ods), xz, Zstandard, 7z, bzip2 and .xls, each byte a character. */
const BINARY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with.
  /^(\x1f\x8b|PK\x03\x04|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|BZh[1-9]1AY|\xd0\xcf\x11\xe0)/;

/** The length of a header that begins with the text OSMHeader: .osm.pbf has no magic number. */
const OSM_PBF = /^\0\0\0.\n\tOS/s;

/** ASCII without a byte order mark, as databases export it: this is UTF-8, too, with a NUL beside each letter. */
const UNMARKED_UTF_16 = /^(?:([^\0]\0){2}|(?:\0[^\0]){2})/;

const inLatin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Locates the first fault of a file, which is between these bytes, or in a character that began before. */
async function notUtf8(file: string, from: number, to: number): Promise<CommandError> {
  const start = Math.max(from - LONGEST_BEGINNING, 0);
  const bytes = await Bun.file(file).slice(start, to).bytes();
  const isContinued = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;
  let good = 0;
  // The end of a character before the fault.
  while (start + good < from && isContinued(bytes[good])) good++;
  good += start + countGoodBytes(bytes.subarray(good));
  let line = 1;
  if (good > 0) {
    for await (const piece of Bun.file(file).slice(0, good).stream()) {
      line += inLatin1(piece).split("\n").length - 1;
    }
  }
  const isUtf16 = good === 0 && UTF_16.test(inLatin1(bytes.subarray(0, 2)));
  return new CommandError(
    `${file} is not UTF-8 (line ${line}, byte ${good + 1} of the file): convert it first, for example with iconv -f ${isUtf16 ? "UTF-16" : "WINDOWS-1252"} -t UTF-8.`,
  );
}

/** Its byte order mark, each byte a character: a spreadsheet's "Unicode" format. */
const UTF_16 = /^(\xff\xfe|\xfe\xff)/;

/** Bytes of a character that may continue in the next piece: it has at most four. */
const LONGEST_BEGINNING = 3;

/** How many bytes precede the first character that is invalid or cut short. */
function countGoodBytes(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let good = 0;
  try {
    for (let end = 1; end <= bytes.byteLength; end++) {
      if (decoder.decode(bytes.subarray(end - 1, end), { stream: true }) !== "") good = end;
    }
  } catch {
    // Not UTF-8 from here on.
  }
  return good;
}

/** The lines of a text, without their ends. */
export async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  let count = 0;
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    count += lines.length;
    if (rest.length > LONGEST_ROW) {
      throw new CommandError(
        `Line ${count + 1} is longer than ${grouped(LONGEST_ROW)} characters: this is not a file of lines.`,
      );
    }
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  if (rest !== "") yield rest;
}
