import { CommandError } from "../command.ts";

/**
 * The text of a file in pieces, never all of it at once.
 * @param onBytes hears of each piece how many bytes it was
 * @throws CommandError when the file cannot be read or is not UTF-8
 */
export async function* readText(
  file: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let offset = 0;
  try {
    for await (const piece of Bun.file(file).stream()) {
      const text = decoder.decode(piece, { stream: true });
      offset += piece.byteLength;
      onBytes(piece.byteLength);
      if (text !== "") yield text;
    }
    decoder.decode();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT") throw new CommandError(`There is no file ${file}.`);
    if (code === "EISDIR") throw new CommandError(`${file} is not a file.`);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA" || error instanceof TypeError) {
      throw new CommandError(
        `${file} is not UTF-8 (near byte ${offset}): convert it first, for example with iconv.`,
      );
    }
    throw error;
  }
}

/** The lines of a text, without their ends. */
export async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LONGEST_LINE) {
      throw new CommandError(
        `A line is longer than ${LONGEST_LINE} characters: this is not a file of lines.`,
      );
    }
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  if (rest !== "") yield rest;
}

const LONGEST_LINE = 10_000_000;
