import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as otherWork } from "node:timers/promises";
import type postgres from "postgres";

/**
 * Sends rows to a `copy … from stdin`, and waits until PostgreSQL has taken all of them. A row is a
 * list of nulls, texts, numbers and booleans; anything else is sent as JSON.
 * @param copy the statement, not yet sent
 * @throws the error of PostgreSQL when it refuses the rows; none of them is kept
 */
export async function copyIn(
  copy: postgres.PendingQuery<never[]>,
  rows: Iterable<readonly unknown[]>,
): Promise<void> {
  const stream = await copy.writable();
  // PostgreSQL may have refused before it got any.
  if (stream.errored) throw stream.errored;
  await pipeline(Readable.from(pieces(rows)), stream);
}

async function* pieces(rows: Iterable<readonly unknown[]>): AsyncGenerator<string> {
  let piece = "";
  let count = 0;
  for (const row of rows) {
    piece += line(row);
    if (++count % ROWS_AT_ONCE > 0) continue;
    yield piece;
    piece = "";
    // If PostgreSQL takes rows as fast as they are made, nothing else here yields to the event loop:
    // connections being opened would time out with their answers unread.
    await otherWork();
  }
  if (piece !== "") yield piece;
}

/** Rows per piece: enough to keep pieces few, yet few enough to make one while another is sent. */
const ROWS_AT_ONCE = 200;

/** In COPY's text format: https://www.postgresql.org/docs/18/sql-copy.html */
const line = (row: readonly unknown[]) => `${row.map(field).join("\t")}\n`;

function field(value: unknown): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return escaped(value);
  if (typeof value === "object") return escaped(JSON.stringify(value));
  return String(value);
}

const escaped = (text: string) =>
  /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (sign) => escapes[sign] ?? sign) : text;

const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
