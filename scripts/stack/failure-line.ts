import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * The line of a log that most likely says why its program exited. Messages about cleaning up, and about what
 * else failed for the same reason, often come after it.
 */
export function failureLine(log: string): string {
  const end = endOf(log);
  if (end.trim() === "") return "the log is empty. Is the disk full?";
  // Meilisearch's Rust backtraces have frames called `error`.
  const [before = ""] = end.split(/^Stack backtrace:$/m);
  const lines = before.trimEnd().split("\n");
  const told = (sign: RegExp) => lines.findLast((line) => sign.test(line));
  return told(/no space left/i) ?? told(/error|fatal|cannot/i) ?? lines.at(-1) ?? "";
}

/** The end of a log, which after months may be too large to be read at once, or may have been removed. */
function endOf(log: string): string {
  let file: number | undefined;
  try {
    file = openSync(log, "r");
    const end = Buffer.alloc(LAST_BYTES);
    const before = Math.max(fstatSync(file).size - LAST_BYTES, 0);
    return end.toString("utf8", 0, readSync(file, end, 0, LAST_BYTES, before));
  } catch (error) {
    return `the log cannot be read (${(error as Error).message}).`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const LAST_BYTES = 64 * 1024;
