import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { ImportRecord } from "../../src/directory/import.ts";
import { CommandError } from "../command.ts";
import { fieldNames, isFieldName, recordOfFields } from "./fields.ts";
import { type Mapping, mapColumns } from "./mapping.ts";
import type { Row } from "./row.ts";

/**
 * Comma-separated values: with a mapping any file; without, our own fields by the names in the
 * header (address.line1). An empty cell says nothing.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  mapping: Mapping | null,
): AsyncGenerator<Row> {
  let read: ((cells: string[]) => Map<string, unknown>) | null = null;
  let width: number | null = null;
  if (mapping && !mapping.header) read = mapColumns(mapping, null);

  for await (const { line, cells } of readCells(text)) {
    if (!read) {
      read = mapping ? mapColumns(mapping, cells) : ownColumns(cells);
      width = cells.length;
      continue;
    }
    width ??= cells.length;
    if (cells.length !== width) {
      yield { line, row: cells, reason: `the row has ${cells.length} columns instead of ${width}` };
      continue;
    }
    const record = recordOfFields(read(cells));
    if (typeof record === "string") yield { line, row: cells, reason: record };
    else yield { line, row: cells, record: record as unknown as ImportRecord };
  }
}

async function* readCells(
  text: AsyncIterable<string>,
): AsyncGenerator<{ line: number; cells: string[] }> {
  const parser = parse({
    bom: true,
    // All of them: a header is easily put before rows of another origin.
    record_delimiter: ["\r\n", "\n", "\r"],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 10_000_000,
  });
  const source = Readable.from(text);
  // A fault of the file must end the reading of the cells, too.
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`This is not CSV: ${error.message}.`);
  } finally {
    source.destroy();
  }
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

const shown = (name: string) => name || "one without a name";

function ownColumns(header: readonly string[]): (cells: string[]) => Map<string, unknown> {
  const names = header.map((name) => name.trim());
  const repeated = names.filter((name, column) => names.indexOf(name) !== column);
  if (repeated.length > 0) {
    throw new CommandError(`The header has columns twice: ${repeated.map(shown).join(", ")}.`);
  }
  const unknown = names.filter((name) => !isFieldName(name)).map(shown);
  if (unknown.length > 0 || !names.includes("sourceId")) {
    throw new CommandError(
      unknown.length < names.length
        ? `The header has ${unknown.length > 0 ? `unknown columns: ${unknown.join(", ")}` : "no column sourceId"}. Known are ${fieldNames.join(", ")}.`
        : "The header names none of our fields: a foreign CSV needs --mapping FILE.",
    );
  }
  return (cells) => new Map(names.map((name, column) => [name, cells[column] ?? ""]));
}
