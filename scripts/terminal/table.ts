/** Columns of text for a terminal: two spaces apart, the heads first. */
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

/** Columns of text for a program: a tab between them. */
export const formatLine = (cells: readonly string[]) => cells.map(plain).join("\t");

/** A time for a column, in UTC and to the minute: 2026-11-22 16:49. */
export const formatTime = (time: Date) => time.toISOString().slice(0, 16).replace("T", " ");

/** JSON for a program, on one line. People read it at a terminal, too, so it is as harmless there. */
export const formatJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * Control characters become spaces: what strangers wrote could otherwise give orders to a terminal, or begin
 * another column or line. So do those that turn the direction of writing, by which a name could change how
 * the text beside it reads.
 */
export const plain = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, " ");
