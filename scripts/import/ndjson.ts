import type { Row } from "./row.ts";
import { readLines } from "./text.ts";

/** Our own format: one record in JSON on each line. Empty lines are passed over. */
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
    // Trimmed, since a mark at the start of a file stays there when it is put behind another one.
    row = JSON.parse(json.trim());
  } catch {
    return { line, row: json, reason: "the line is not JSON" };
  }
  return typeof row === "object" && row !== null && !Array.isArray(row)
    ? { line, row, record: row }
    : { line, row, reason: "the row is not an object" };
}
