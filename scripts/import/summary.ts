import { type ImportCounts, noCounts } from "../../src/directory/import/feed.ts";
import { grouped } from "../../src/numbers.ts";
import { print } from "../terminal/output.ts";
import { formatJson, plain } from "../terminal/table.ts";
import type { FileOptions, FileResult } from "./file.ts";
import { rowNameOf } from "./formats.ts";
import type { Rows } from "./records.ts";

/** A file that was not read to its end, or whose import did not finish. */
export interface FailedFile {
  file: string;
  error: string;
}

/** Prints the results of all files together. */
export function summarize(
  results: readonly (FileResult | FailedFile)[],
  files: readonly string[],
  json: boolean,
): void {
  const total = sumOf(results);
  if (json) {
    const each = results.map((result) => {
      if ("error" in result) return result;
      const { counts, unusable, closed, ...others } = result;
      const rowsByField = Object.fromEntries(unusable.map(({ field, rows }) => [field, rows]));
      return { ...others, ...counts, unusable: rowsByField, closed: closed.rows };
    });
    print(formatJson({ ...total, files: each }));
  } else if (files.length > 1) {
    const { withdrawn, ...counts } = total;
    print(`All files: ${describeCounts(counts)}`);
  }
}

/** The result of one file, in a few lines, without notes that an earlier one has had. */
export function describeFile(
  result: FileResult,
  options: Pick<FileOptions, "dryRun" | "status" | "dropped">,
  earlier: readonly (FileResult | FailedFile)[],
): string {
  const { file, format, source, counts, seconds, rejects, reasons, unusable, closed, dropped } =
    result;
  const { withdrawn, ...numbers } = counts;
  const rate = grouped(Math.round(counts.read / Math.max(seconds, 0.001)));
  const known = earlier.flatMap((one) => ("error" in one ? [] : notesOn(one.counts, options)));
  const places = ({ rows, lines }: Rows) => {
    const rowName = rowNameOf(format) + (lines.length > 1 ? "s" : "");
    // New businesses come before others, so these need not be in the order of the file.
    return `${rows} (as in ${rowName} ${lines.toSorted((a, b) => a - b).join(", ")})`;
  };
  const most = unusable.slice(0, 10).map((field) => `${field.field} ${places(field)}`);
  const more = unusable.length > most.length ? ", and more" : "";
  return [
    `${file} (source ${source})${options.dryRun ? ", dry run, nothing was kept" : ""}: ${seconds.toFixed(1)} s, ${rate} rows a second`,
    ...notesOn(counts, options).filter((note) => !known.includes(note)),
    withdrawn > 0 &&
      `  ${grouped(withdrawn)} of those pending were approved before, and are no longer public.`,
    closed.rows > 0 &&
      `  Marked as closed: ${places(closed)}; those that are new are pending, even if they lack nothing.`,
    most.length > 0 && `  Unusable and left out: ${most.join(", ")}${more}`,
    rejects !== null && `  Rejected rows are in ${rejects}; most often:`,
    ...reasons.map(([reason, rows]) => `  ${String(rows).padStart(7)}  ${reason}`),
    options.dropped &&
      (dropped
        ? `  Approved businesses of this source that the file lacks or marks as vacant: ${grouped(dropped.length)}.`
        : "  Which businesses the file lacks is not known: rejected rows may be of any of them."),
    `  ${describeCounts(numbers)}`,
  ]
    .filter((line) => line !== false)
    .map(plain)
    .join("\n");
}

/** What it means that businesses are pending, if any are. */
const notesOn = (
  { created, pending }: ImportCounts,
  { dryRun, status }: Pick<FileOptions, "dryRun" | "status">,
) => [
  status === "pending" &&
    created > 0 &&
    "  New businesses are pending until an operator approves them.",
  pending > 0 &&
    "  Businesses without a category, town, address line 1, postcode or coordinates are pending.",
  pending > 0 && !dryRun && "  `scripts/businesses.ts list` says what each of them lacks.",
];

export const describeCounts = (counts: object) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

function sumOf(results: readonly (FileResult | FailedFile)[]) {
  const total = noCounts();
  for (const result of results) {
    if ("error" in result) continue;
    for (const name of Object.keys(total) as (keyof typeof total)[]) {
      total[name] += result.counts[name];
    }
  }
  return total;
}
