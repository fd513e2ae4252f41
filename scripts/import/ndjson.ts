import { isFieldName } from "./fields.ts";
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
  const unusable = unknownFields(row);
  return { line, row, record: row, ...(unusable.length > 0 && { unusable }) };
}

/** Names that are not our fields: one may be misspelt in the whole feed, such as coordinates.latitude. */
function unknownFields(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]) => {
    // A name with a dot is that of a table column, which the directory would not find here.
    if (isFieldName(name) && !name.includes(".")) return [];
    if (!NESTED.includes(name)) return name;
    if (typeof value !== "object" || Array.isArray(value)) return [];
    return Object.keys(value ?? {})
      .map((inner) => `${name}.${inner}`)
      .filter((inner) => !isFieldName(inner));
  });
}

const NESTED = ["address", "coordinates"];
