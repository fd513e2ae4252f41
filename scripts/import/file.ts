import { access, constants, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { ImportCounts } from "../../src/directory/import/feed.ts";
import type { Outcodes } from "../../src/directory/import/merging.ts";
import { importRecords } from "../../src/directory/import.ts";
import type { Sql } from "../../src/store/postgres.ts";
import { CommandError } from "../terminal/command.ts";
import { onInterruption } from "../terminal/interruption.ts";
import { sayUnsettled, sayWaiting } from "../terminal/output.ts";
import { progressBar } from "../terminal/progress-bar.ts";
import { plain } from "../terminal/table.ts";
import { defaultSource, type Format, guessFormat, readRows } from "./formats.ts";
import type { Mapping } from "./mapping.ts";
import { FileRecords, type Rows, type UnusableField } from "./records.ts";
import { REJECTS, Rejects } from "./rejects.ts";
import { readText } from "./text.ts";

export interface FileOptions {
  format: Format | null;
  source: string | null;
  status: "approved" | "pending";
  mapping: Mapping | null;
  outcodes: Outcodes | undefined;
  dryRun: boolean;
  /** Whether to list the approved businesses of the source that the file lacks or marks as vacant. */
  dropped: boolean;
}

export interface FileResult {
  file: string;
  format: Format;
  source: string;
  counts: ImportCounts;
  seconds: number;
  /** Where the rejected rows are; null when there are none. */
  rejects: string | null;
  reasons: [reason: string, rows: number][];
  /** The most frequent first. */
  unusable: UnusableField[];
  /** Those of places that the file says are closed. */
  closed: Rows;
  /** Their slugs; absent when they were not asked for, or rejected rows may be of them. */
  dropped?: string[];
}

/**
 * Imports one file, all of it or nothing.
 * @param onInterrupted called when a signal ends the command, with whether the file may have been kept nevertheless
 * @throws CommandError when the file cannot be read to its end
 */
export async function importFile(
  sql: Sql,
  file: string,
  options: FileOptions,
  onInterrupted: (mayBeKept: boolean) => void,
): Promise<FileResult> {
  if (file.endsWith(REJECTS)) {
    throw new CommandError(
      `${file} holds rejected rows: correct them in the feed, or a copy of it, and import that again under the same --source.`,
    );
  }
  const { format, source } = await examine(file, options);
  const rejects = new Rejects(file);
  const records = new FileRecords(rejects);
  const bar = progressBar(
    "{name} {bar} {percentage} % | {counted} rows, {rate} a second | {eta_formatted} left",
  );
  const dropped: string[] = [];
  let bytes = 0;
  let hasBegun = false;
  let isCommitting = false;
  const undoRejects = () => {
    // If the connection is lost during the commit, PostgreSQL may have kept the file, to which they belong.
    if (hasBegun && !isCommitting) rejects.remove();
  };
  // Before the progress bar starts, which handles the same signals: only the first handler is called, and the
  // bar's would end the command silently.
  const stopWaiting = onInterruption(() => {
    bar.stop();
    undoRejects();
    onInterrupted(isCommitting);
    // The exit code says only whether every file was read to its end.
    process.exit(1);
  });
  try {
    const rows = readRows(format, readWhole(), options.mapping);
    const counts = await importRecords(sql, records.read(rows), {
      ...options,
      source,
      isOwnFormat: format === "ndjson" || (format === "csv" && !options.mapping),
      onWait: sayWaiting,
      onUnsettled: (error) => sayUnsettled(plain(`${file}: all is`), error),
      onCommit() {
        // From here on PostgreSQL may commit even if we are interrupted.
        isCommitting = true;
        // It takes a minute after millions of rows.
        bar.finish(plain(`Committing ${file}`));
      },
      onProgress: (read) => bar.update(bytes, read + records.rejected),
      onDropped: options.dropped ? list : undefined,
      onReject: (record, reason) => records.reject(record, reason),
      onUnusable: (record, fields) => records.leaveOut(record, fields),
    });
    return {
      file,
      format,
      source,
      counts: records.count(counts),
      seconds: bar.seconds(),
      rejects: rejects.path,
      reasons: rejects.mostCommon(10),
      unusable: records.unusable(),
      closed: records.closed,
      ...(options.dropped && !records.hidesIds && { dropped }),
    };
  } catch (error) {
    undoRejects();
    throw error;
  } finally {
    rejects.close();
    bar.stop();
    stopWaiting();
  }

  function list({ slug, sourceId }: { slug: string; sourceId: string }): void {
    if (!records.hasRejected(sourceId)) dropped.push(slug);
  }

  async function* readWhole(): AsyncGenerator<string> {
    // Only now: this import may have waited while the file was replaced, or for one of the same file, whose
    // rejects are in the same place.
    const size = await sizeOf(file);
    rejects.remove();
    hasBegun = true;
    bar.start(Math.max(size, 1), { name: plain(basename(file)) });
    yield* readText(file, (more) => {
      bytes += more;
    });
    // A feed that is still being written may end after a whole row, and nothing in it would show that the rest
    // is missing.
    if (bytes !== size) {
      throw new CommandError(
        `${file} has ${bytes < size ? "shrunk" : "grown"} while it was read: import it again once it is complete.`,
      );
    }
  }
}

/**
 * What a file will be imported as.
 * @throws CommandError when it cannot be read, or is in no known format
 */
export async function examine(file: string, options: FileOptions) {
  // What is wrong with it is told before the import waits for another, and a pipe is not read from.
  await sizeOf(file);
  const format = options.format ?? (options.mapping ? "csv" : await guessFormat(file));
  return { format, source: options.source ?? defaultSource(format, file) };
}

/** In bytes. @throws CommandError when there is no such file, or it may not be read */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(({ code, message }: NodeJS.ErrnoException) => {
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    // Such as for a parent folder that may not be entered.
    throw new CommandError(
      isMissing ? `There is no file ${file}.` : `${file} cannot be read: ${message}.`,
    );
  });
  if (found.isFIFO()) {
    throw new CommandError(`${file} is a pipe: save it as a file, which can be read twice.`);
  }
  if (!found.isFile()) throw new CommandError(`${file} is not a file.`);
  await access(file, constants.R_OK).catch(() => {
    throw new CommandError(`${file} is not readable by this account.`);
  });
  return found.size;
}
