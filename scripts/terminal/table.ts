/** A table for a terminal: columns two spaces apart, below their heads. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heads, ...rows].map((line) => line.map(plain));
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A row for a program: cells separated by tabs. */
export const formatLine = (cells: readonly string[]) => cells.map(plain).join("\t");

/** A time for a table, in UTC to the minute: 2026-11-22 16:49. */
export const formatTime = (time: Date) => time.toISOString().slice(0, 16).replace("T", " ");

/** JSON for a program, on one line. It may be shown on a terminal too, so control characters are escaped. */
export const formatJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * Replaces control characters with spaces: text from strangers could otherwise control a terminal, or begin
 * another column or line. Bidirectional controls too: a name with them could reorder the text beside it.
 */
export const plain = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, " ");
