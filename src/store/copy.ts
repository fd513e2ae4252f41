import { finished } from "node:stream/promises";
import type postgres from "postgres";

/**
 * Sends lines to a `copy … from stdin`, and waits until PostgreSQL has taken all of them.
 * @param copy the statement, not yet sent
 * @param lines in the text format of COPY: see copyLine
 * @throws what PostgreSQL says of the lines; nothing of them is kept
 */
export async function copyIn(copy: postgres.PendingQuery<never[]>, lines: string): Promise<void> {
  const stream = await copy.writable();
  // postgres.js 3.4.9 tells the query, which is done for it once it has the stream, and not the
  // stream when PostgreSQL refuses the lines: who waits for the stream would wait for ever.
  const refused = new Promise<never>((_, reject) => {
    Object.assign(copy, { reject });
  });
  stream.end(lines);
  await Promise.race([finished(stream), refused]);
}

/**
 * One row in the text format of COPY: null, texts, numbers, booleans; anything else as JSON.
 * https://www.postgresql.org/docs/18/sql-copy.html
 */
export function copyLine(values: readonly unknown[]): string {
  return `${values.map(field).join("\t")}\n`;
}

function field(value: unknown): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return escaped(value);
  if (typeof value === "object") return escaped(JSON.stringify(value));
  return String(value);
}

const escaped = (text: string) =>
  /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (sign) => escapes[sign] ?? sign) : text;

const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
