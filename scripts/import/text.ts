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
  const decoder = new Utf8Decoder(file);
  let isFirst = true;
  try {
    for await (const piece of Bun.file(file).stream()) {
      if (isFirst && BINARY.test(Buffer.from(piece.subarray(0, 8)).toString("latin1"))) {
        throw new CommandError(
          `${file} is compressed or a spreadsheet: unpack it first, or save it as CSV.`,
        );
      }
      isFirst = false;
      const text = decoder.decode(piece);
      onBytes(piece.byteLength);
      if (text !== "") yield text;
    }
    decoder.end();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT") throw new CommandError(`There is no file ${file}.`);
    if (code === "EISDIR") throw new CommandError(`${file} is not a file.`);
    throw error;
  }
}

/** The magic numbers of gzip, zip (and .xlsx, .ods), xz, Zstandard, 7z, bzip2 and .xls, each byte a character. */
const BINARY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with.
  /^(\x1f\x8b|PK\x03\x04|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|BZh[1-9]1AY|\xd0\xcf\x11\xe0)/;

/** Decodes a file piece by piece, and locates its first fault. */
class Utf8Decoder {
  readonly #file: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #bytes = 0;
  #lineEnds = 0;
  /** The end of what was decoded: the bytes of a character that may continue in the next piece. */
  #begun = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
  }

  decode(piece: Uint8Array): string {
    const text = this.#decode(piece, { stream: true });
    this.#bytes += piece.byteLength;
    this.#lineEnds += countLineEnds(piece);
    const end = Buffer.concat([this.#begun, piece.subarray(-LONGEST_BEGINNING)]);
    const last = end.subarray(-LONGEST_BEGINNING);
    const begin = last.findLastIndex((byte) => byte >= FIRST_OF_SEVERAL);
    this.#begun = begin < 0 ? Buffer.alloc(0) : last.subarray(begin);
    return text;
  }

  /** Nothing follows. */
  end(): void {
    this.#decode(new Uint8Array(), { stream: false });
  }

  #decode(piece: Uint8Array, options: { stream: boolean }): string {
    try {
      return this.#decoder.decode(piece, options);
    } catch {
      const good = countGoodBytes(Buffer.concat([this.#begun, piece])) - this.#begun.byteLength;
      const line = this.#lineEnds + countLineEnds(piece.subarray(0, Math.max(good, 0))) + 1;
      const byte = this.#bytes + good + 1;
      const isUtf16 =
        byte === 1 && UTF_16.test(Buffer.from(piece.subarray(0, 2)).toString("latin1"));
      throw new CommandError(
        `${this.#file} is not UTF-8 (line ${line}, byte ${byte} of the file): convert it first, for example with iconv -f ${isUtf16 ? "UTF-16" : "WINDOWS-1252"} -t UTF-8.`,
      );
    }
  }
}

/** Its byte order mark, each byte a character: a spreadsheet's "Unicode" format. */
const UTF_16 = /^(\xff\xfe|\xfe\xff)/;

// A character has at most four bytes, and its first byte says how many.
const LONGEST_BEGINNING = 3;
const FIRST_OF_SEVERAL = 0xc0;

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

function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count++;
  return count;
}

const LINE_END = 0x0a;

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
