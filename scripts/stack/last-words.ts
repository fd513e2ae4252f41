import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * The line of a log that says why its program ended. Programs often write about their cleaning up, and what fails
 * for the same reason, after it.
 */
export function lastWords(log: string): string {
  const end = endOf(log);
  if (end.trim() === "") return "none. Is there room left on the disk?";
  // Of the Rust in Meilisearch, whose frames are called `error` too.
  const [before = ""] = end.split(/^Stack backtrace:$/m);
  const lines = before.trimEnd().split("\n");
  const told = (sign: RegExp) => lines.findLast((line) => sign.test(line));
  return told(/no space left/i) ?? told(/error|fatal|cannot/i) ?? lines.at(-1) ?? "";
}

/**
 * The end of a log, which after months may be larger than what can be read at once. Somebody may also have
 * removed it.
 */
function endOf(log: string): string {
  let file: number | undefined;
  try {
    file = openSync(log, "r");
    const end = Buffer.alloc(LAST_BYTES);
    const before = Math.max(fstatSync(file).size - LAST_BYTES, 0);
    return end.toString("utf8", 0, readSync(file, end, 0, LAST_BYTES, before));
  } catch (error) {
    return `they cannot be read (${(error as Error).message}).`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const LAST_BYTES = 64 * 1024;
