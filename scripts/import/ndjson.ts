import { isFieldName } from "./fields.ts";
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
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return { line, row, reason: "the row is not an object" };
  }
  const unusable = unknownFields(row);
  return { line, row, record: row, ...(unusable.length > 0 && { unusable }) };
}

/** What is no field of ours: one may be misspelt in the whole feed, such as coordinates.latitude. */
function unknownFields(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]) => {
    // With a dot it names a column of a table, and the directory would not find it here.
    if (isFieldName(name) && !name.includes(".")) return [];
    if (!NESTED.includes(name)) return name;
    if (typeof value !== "object" || Array.isArray(value)) return [];
    return Object.keys(value ?? {})
      .map((inner) => `${name}.${inner}`)
      .filter((inner) => !isFieldName(inner));
  });
}

const NESTED = ["address", "coordinates"];
