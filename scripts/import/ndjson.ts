import type { ImportRecord } from "../../src/directory/import.ts";
import type { Row } from "./row.ts";
import { readLines } from "./text.ts";

/** Our own format: one record in JSON on each line. Empty lines are passed over. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const json of readLines(text)) {
    line++;
    if (json.trim() === "") continue;
    try {
      const record = JSON.parse(json) as ImportRecord;
      yield { line, row: record, record };
    } catch {
      yield { line, row: json, reason: "the line is not JSON" };
    }
  }
}
