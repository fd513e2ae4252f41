import { stat } from "node:fs/promises";

/**
 * The line of a log that most likely says why its program exited. Messages about cleaning up, and about what
 * else failed for the same reason, often come after it.
 */
export async function failureLine(log: string): Promise<string> {
  // After months a log may be too large to be read at once, or may have been removed.
  const end = await stat(log)
    .then(({ size }) =>
      Bun.file(log)
        .slice(Math.max(size - LAST_BYTES, 0))
        .text(),
    )
    .catch((error: Error) => `the log cannot be read (${error.message}).`);
  if (end.trim() === "") return "the log is empty. Is the disk full?";
  // Meilisearch's Rust backtraces have frames called `error`.
  const [before = ""] = end.split(/^Stack backtrace:$/m);
  const lines = before.trimEnd().split("\n");
  const told = (sign: RegExp) => lines.findLast((line) => sign.test(line));
  return (
    told(/no space left/i) ??
    // Of a process of PostgreSQL that crashed: why, if it knew. Its connections are refused with FATAL from then on.
    told(/PANIC:/) ??
    told(/was terminated by signal/) ??
    told(/error|fatal|cannot/i) ??
    lines.at(-1) ??
    ""
  );
}

const LAST_BYTES = 64 * 1024;
