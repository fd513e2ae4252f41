import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { grouped } from "../../src/numbers.ts";
import { CommandError } from "../terminal/command.ts";
import { mapColumns } from "./columns.ts";
import { type Fields, fieldNames, isFieldName, recordOfFields, unknownFields } from "./fields.ts";
import type { Mapping } from "./mapping.ts";
import { LONGEST_ROW, type Row } from "./row.ts";
import { takeApart } from "./whole-address.ts";

/**
 * Comma-separated values, or separated by semicolons, tabs or bars: with a mapping any file; without one,
 * our own fields by the names in the header (address.line1). An empty cell leaves a field out, except that
 * it removes a contact.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  mapping: Mapping | null,
): AsyncGenerator<Row> {
  const hasHeader = mapping === null || mapping.header;
  let read: ((cells: string[]) => Fields) | null = null;
  let first: string[] = [];

  for await (const { line, cells } of readCells(text)) {
    // Spreadsheets write empty rows below the last one.
    if (cells.every((cell) => cell.trim() === "")) continue;
    if (!read) {
      read = mapping ? mapColumns(mapping, cells) : ownColumns(cells);
      first = cells;
      if (hasHeader) continue;
    }
    if (cells.length !== first.length) {
      const reason = `the row has ${cells.length} columns instead of ${first.length}`;
      yield { line, row: cells, reason };
      continue;
    }
    // From a second file that was appended.
    if (hasHeader && cells.every((cell, column) => cell.trim() === first[column]?.trim())) {
      yield { line, row: cells, reason: "the row repeats the header" };
      continue;
    }
    const fields = read(cells);
    const record = recordOfFields(fields);
    const sourceId = fields.get("sourceId");
    if (typeof record === "string") yield { line, row: cells, reason: record, sourceId };
    else yield { line, row: cells, record, unusable: unknownFields(record) };
  }
  // Even an empty export has a header.
  if (!read && hasHeader) throw new CommandError("The file has no header: it is empty.");
}

async function* readCells(
  text: AsyncIterable<string>,
): AsyncGenerator<{ line: number; cells: string[] }> {
  const { start, rest } = await readFirstLine(withSingleLineEnds(text));
  // A lone carriage return ends lines only if it ends the first one: elsewhere it is within a cell.
  const lineEnd = /^[^\r\n]*\r/.test(start) ? "\r" : "\n";
  const lines = start.split(lineEnd);
  // A line that tells Excel the delimiter.
  const skipped = /^\ufeff?sep=.$/i.test(lines[0] ?? "") ? 1 : 0;
  /** The line in which the last row ends. */
  let end = skipped;
  const parser = parse({
    delimiter: delimiterOf(lines.find((line) => line.trim() !== "") ?? ""),
    record_delimiter: lineEnd,
    from_line: skipped + 1,
    info: true,
    // For cells such as 12" Pizza; but a quote after leading white space does begin a quoted cell.
    relax_quotes: true,
    ltrim: true,
    raw: true,
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
    // Called as the parser reads: an error overtakes the rows still waiting to be consumed.
    on_record(row, { lines }) {
      end = lines;
      return row;
    },
  });
  const source = Readable.from(rest);
  // An error of the file must end the parser, too.
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info, raw } of parser as AsyncIterable<Parsed>) {
      // The parser gives the last line of a row.
      const more = record.reduce((sum, cell) => sum + cell.split(lineEnd).length - 1, 0);
      const line = info.lines - more;
      // A file that is not a table may seem to have very many cells, each of which is searched for in the row.
      const isWide = record.length > MOST_COLUMNS;
      const cells = isWide ? record : record.map((cell) => withoutQuotes(cell, raw));
      const long = cells.filter((cell) => cell.includes(lineEnd));
      if (long.some((cell) => isOpen(cell, raw))) throw unclosed(line);
      yield { line, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_QUOTE_NOT_CLOSED") throw unclosed(end + 1);
    // The parser names the line at which it gave up.
    if (error.code === "CSV_MAX_RECORD_SIZE") {
      throw new CommandError(
        `This is not CSV: the row that begins in line ${end + 1} is longer than ${grouped(LONGEST_ROW)} bytes, perhaps because a quote is not closed.`,
      );
    }
    throw new CommandError(`This is not CSV: ${error.message}.`);
  } finally {
    source.destroy();
  }
}

/** Removes quotes that the parser took for text because white space follows the closing one. */
function withoutQuotes(cell: string, raw: string): string {
  const [, text] = /^"(.*)"\s+$/s.exec(cell) ?? [];
  if (text === undefined || raw.includes(quoted(cell))) return cell;
  // Not in "Bob" or "Bobby", whose inner quotes are not doubled.
  return raw.includes(quoted(text)) ? text : cell;
}

/** Whether a multi-line cell begins with a quote that is part of its text, but is not doubled. */
const isOpen = (cell: string, raw: string) => cell.startsWith('"') && !raw.includes(quoted(cell));

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const unclosed = (line: number) =>
  new CommandError(`This is not CSV: from line ${line} on, a quote is not closed.`);

/** The delimiter that a line has most often outside quotes; by default a comma. */
function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*("|$)/g, "");
  const count = (delimiter: string) => bare.split(delimiter).length;
  return [",", ";", "\t", "|"].reduce((most, next) => (count(next) > count(most) ? next : most));
}

/**
 * Replaces "\r\n" with "\n": a header may have been put before rows from elsewhere, and the parser counts a
 * "\r\n" within quotes as two lines.
 */
async function* withSingleLineEnds(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const all = rest + piece;
    // It may be the first half of a line end.
    rest = all.endsWith("\r") ? "\r" : "";
    yield all.slice(0, all.length - rest.length).replaceAll("\r\n", "\n");
  }
  if (rest !== "") yield rest;
}

/** The start of a text, up to at least the end of its first non-blank line, and the whole text again. */
async function readFirstLine(pieces: AsyncGenerator<string>) {
  let start = "";
  while (!/[\r\n]/.test(start.trimStart())) {
    const { value, done } = await pieces.next();
    if (done) break;
    start += value;
    if (start.length > LONGEST_ROW) break;
  }
  async function* rest() {
    yield start;
    yield* pieces;
  }
  return { start, rest: rest() };
}

/** More than any table has. */
const MOST_COLUMNS = 1_000;

interface Parsed {
  record: string[];
  raw: string;
  info: { lines: number };
}

const shown = (name: string) => name || "one without a name";

function ownColumns(header: readonly string[]): (cells: string[]) => Fields {
  const names = header.map((name) => name.trim());
  const unknown = names.filter((name) => !isFieldName(name)).map(shown);
  if (unknown.length === names.length) {
    throw new CommandError(
      "The first line names none of our fields. If the header is further down, remove the lines above it; a CSV with other columns needs --mapping FILE.",
    );
  }
  // Not indexOf, which takes 16 s for 80,000 columns: a file that is not a table may seem to have as many.
  const seen = new Set<string>();
  const repeated = names.filter((name) => seen.size === seen.add(name).size);
  if (repeated.length > 0) {
    throw new CommandError(`The header repeats columns: ${repeated.map(shown).join(", ")}.`);
  }
  if (unknown.length > 0 || !names.includes("sourceId")) {
    const fault =
      unknown.length > 0 ? `unknown columns: ${unknown.join(", ")}` : "no column sourceId";
    throw new CommandError(`The header has ${fault}. Known columns: ${fieldNames.join(", ")}.`);
  }
  const fields = names.filter(isFieldName);
  return (cells) => takeApart(new Map(fields.map((field, column) => [field, cells[column] ?? ""])));
}
