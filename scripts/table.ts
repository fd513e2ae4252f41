/**
 * Columns of text for a terminal: two spaces apart, the heads first. Control characters become
 * spaces, since what strangers wrote must not steer the terminal.
 */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heads, ...rows].map((line) => line.map((cell) => cell.replace(/\p{Cc}/gu, " ")));
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
