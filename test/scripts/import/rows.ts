import type { Row } from "../../../scripts/import/row.ts";

/** A text in pieces of a few characters, so that every boundary falls somewhere. */
export async function* pieces(text: string, size = 7) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** The record of each row, or the reason why it has none. */
export const records = async (rows: AsyncIterable<Row>) =>
  (await Array.fromAsync(rows)).map((row) =>
    "record" in row ? row.record : row.reason,
  ) as unknown[];
