import { unknownFields } from "./fields.ts";
import type { Row } from "./row.ts";
import { readLines } from "./text.ts";

/** Our own format: one JSON record per line. Empty lines are skipped. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const json of readLines(text)) {
    line++;
    if (json.trim() === "") continue;
    yield rowOf(line, json);
  }
}

function rowOf(line: number, json: string): Row {
  let row: unknown;
  try {
    // Trimmed, since the byte order mark of a file stays when it is appended to another.
    row = JSON.parse(json.trim());
  } catch {
    return { line, row: json, reason: "the line is not JSON" };
  }
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return { line, row, reason: "the row is not an object" };
  }
  return { line, row, record: row, unusable: unknownFields(row) };
}
