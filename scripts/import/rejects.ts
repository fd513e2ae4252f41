import { appendFileSync, closeSync, openSync, statSync, unlinkSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { formatJson } from "../terminal/table.ts";
import type { RejectedRow } from "./row.ts";

/** Appended to the name of a file. */
export const REJECTS = ".rejects.ndjson";

/** Its owner may read and write the file. */
const OWNER_READ_WRITE = 0o600;

/** Distinct reasons that are counted: some quote the row, and may differ from row to row. */
const MOST_REASONS = 1_000;
const OTHERS = "for other reasons, see the file";

/** The rejected rows of one file: in FILE.rejects.ndjson, and counted by reason. */
export class Rejects {
  readonly #reasons = new Map<string, number>();
  #path: string;
  /** In the current folder, for when that of the feed is read-only: the name tells feeds of different folders apart. */
  readonly #fallback: string;
  readonly #mode: number;
  /** The descriptor of the file, once there are rows in it. */
  #file: number | undefined;
  total = 0;

  constructor(file: string) {
    // The rows come from the feed: whoever may not read that may not read them either.
    const { mode } = statSync(file, { throwIfNoEntry: false }) ?? { mode: 0o666 };
    this.#mode = (mode & 0o666) | OWNER_READ_WRITE;
    this.#path = file + REJECTS;
    this.#fallback = resolve(file).slice(1).replaceAll("/", "-") + REJECTS;
  }

  /** Where the rows are; null when there are none. */
  get path(): string | null {
    return this.total === 0 ? null : this.#path;
  }

  /** @throws CommandError when it cannot be written, as to a full disk */
  add({ line, reason, row }: RejectedRow): void {
    this.total++;
    const counted =
      this.#reasons.has(reason) || this.#reasons.size < MOST_REASONS ? reason : OTHERS;
    this.#reasons.set(counted, (this.#reasons.get(counted) ?? 0) + 1);
    try {
      this.#file ??= this.#open();
      appendFileSync(this.#file, `${jsonOf({ line, reason, row })}\n`);
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** Closes the file: one command may import more files than it may have open. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    try {
      return this.#create();
    } catch (error) {
      if (!isReadOnly(error) && !isTaken(error)) throw error;
      this.#path = this.#fallback;
      return this.#create();
    }
  }

  #create(): number {
    // In a folder that others may write to, somebody may put a link to another file in its place. So whatever
    // is there is removed, "ax" fails if something is there again by then, and the file is never reopened.
    this.remove();
    return openSync(this.#path, "ax", this.#mode);
  }

  /** The most common reasons, the most common first. */
  mostCommon(count: number): [reason: string, rows: number][] {
    return [...this.#reasons].sort(([, a], [, b]) => b - a).slice(0, count);
  }

  /**
   * Removes the file, also one of an earlier run, which may have found the feed's folder read-only.
   * @throws CommandError when there is something else in its place
   */
  remove(): void {
    this.close();
    for (const path of [this.#path, this.#fallback]) {
      try {
        unlinkSync(path);
      } catch (error) {
        const isAbsent = codeOf(error) === "ENOENT" || isReadOnly(error);
        // The other name may be too long, and need not be usable.
        if (path === this.#path && !isAbsent) throw unwritable(error);
      }
    }
  }
}

function unwritable(error: unknown): CommandError {
  return new CommandError(`The rejected rows cannot be written: ${(error as Error).message}.`);
}

function jsonOf(rejected: RejectedRow): string {
  try {
    return formatJson(rejected);
  } catch {
    // JSON can be parsed at any depth, but not stringified.
    return JSON.stringify({ ...rejected, row: "nested too deeply to be written again" });
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

const isReadOnly = (error: unknown) => ["EACCES", "EPERM", "EROFS"].includes(codeOf(error));

/** Whether the file exists, belongs to somebody else and could not be removed. */
const isTaken = (error: unknown) => codeOf(error) === "EEXIST";
