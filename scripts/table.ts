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

/** Control characters become spaces: what strangers wrote must steer no terminal and end no column. */
const plain = (cell: string) => cell.replace(/\p{Cc}/gu, " ");
