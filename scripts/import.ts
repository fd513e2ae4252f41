import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Sql } from "../src/store/postgres.ts";
import { importCategoryFile } from "./import/categories.ts";
import { examine, type FileOptions, type FileResult, importFile } from "./import/file.ts";
import { formats } from "./import/formats.ts";
import { readMapping } from "./import/mapping.ts";
import { readOutcodes } from "./import/outcodes.ts";
import { describeCounts, describeFile, type FailedFile, summarize } from "./import/summary.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { startOverWithAllocator } from "./stack/memory.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { print, printAll, say } from "./terminal/output.ts";
import { formatJson, plain } from "./terminal/table.ts";

const USAGE = `Usage: npx bun scripts/import.ts FILE… [options]
       npx bun scripts/import.ts --categories FILE [--dry-run] [--json]

Imports businesses, each file in one transaction: all of it or nothing. A business is identified by
its source and its id there, so a feed has to keep its --source; it keeps the slug that it was first
given. Rejected rows go to FILE.rejects.ndjson; if that folder is read-only, to a file in the current
one, named after the whole path.

What a record leaves out stays as it is; null, "" for text, or a value that cannot be used, such as a
postcode that is none, clears it. In a CSV (delimited by commas, semicolons, tabs or bars) an empty
cell clears phone, email and website only, and one with a dash, N/A, TBC, none, unknown, NULL or an
error such as #REF! counts as empty, except as a status. In any format, a first line of an address
without a second one clears the second. Phone, email, website, description and hours that an element
of OpenStreetMap lacks are removed, and so are parts of the address that a food hygiene record lacks.
A business that moves to another outcode or loses its postcode, without new coordinates, loses the
old ones, and is pending unless --outcodes has the new outcode. A business that a feed drops or marks
as vacant stays as it is: suspend it with scripts/businesses.ts.

Any feed is trusted on ratings, and on whether a business is claimed, verified or premium. Its later
changes to an approved business show at once, except a record's status, which counts only when the
business is new; afterwards scripts/businesses.ts decides.

scripts/generate.ts --count 2 --ndjson prints records in our format; they may have a slug, too.
--categories imports categories, as NDJSON {slug, name, parent?, isActive?}. One that is not active,
and those below it, are neither listed nor filtered by, but their businesses are still public.

  --format F       ${formats.join(", ")}; guessed from the file when absent
  --source NAME    the name of the feed; default osm or fhrs for these formats, else the file's name
  --status S       of new businesses: approved (default), or pending until an operator approves
                   them, even if a record says approved
  --mapping FILE   for a CSV with other columns: JSON that maps our fields to them, and "header":
                   whether the first line names them
  --outcodes FILE  a postal file of GeoNames, to place rows without coordinates by their postcode,
                   and again when that changes
  --dry-run        does everything, but keeps only the rejected rows
  --dropped        prints the slugs of the approved businesses of this source that the file lacks or marks
                   as vacant, one a line, and the counts on stderr. What is rejected for other reasons
                   counts as in the file; while the id of a rejected row is not known, none is printed
  --json           one JSON line: the counts; for businesses also those of each file or why it failed

Exit code 0 when every file was read to its end, otherwise 1, also when interrupted in one of
businesses.`;

const LARGE_FILE_BYTES = 5e6;

await runCommand(USAGE, async () => {
  const { json, files, categories, options } = await readArguments();
  if (options.source === null) await warnOfSharedSources(files, options);

  const config = await scriptConfig();
  await using sql = await openDatabase(config.databaseUrl, 2);
  if (categories !== null) {
    const counts = { ...(await importCategoryFile(sql, categories, options)), rejected: 0 };
    const kept = options.dryRun ? "Dry run, nothing was kept: " : "";
    print(json ? formatJson(counts) : `${kept}${describeCounts(counts)}`);
  } else {
    await importEach(sql, files, options, json);
  }
});

/** Where ids are a file's own, a second file of that source overwrites businesses of the first. */
async function warnOfSharedSources(files: readonly string[], options: FileOptions): Promise<void> {
  const known = new Map<string, string>();
  for (const file of files) {
    // What is wrong with a file is told when its turn comes.
    const found = await examine(file, options).catch(() => null);
    if (!found || found.format === "osm" || found.format === "fhrs") continue;
    const other = known.getOrInsert(found.source, file);
    if (resolve(other) === resolve(file)) continue;
    say(
      plain(
        `${other} and ${file} are both of the source ${found.source}, where an id is one business: if they are two feeds, import each with a --source of its own.`,
      ),
    );
  }
}

/** A file that cannot be read to its end does not keep the others from being imported. */
async function importEach(
  sql: Sql,
  files: readonly string[],
  options: FileOptions,
  json: boolean,
): Promise<void> {
  const results: (FileResult | FailedFile)[] = [];
  const fail = (file: string, error: string) => {
    console.error(plain(error));
    results.push({ file, error });
  };
  try {
    for (const file of files) {
      try {
        const onInterrupted = (mayBeKept: boolean) => {
          fail(
            file,
            mayBeKept
              ? `Interrupted: ${file} may have been kept. Import it and the files after it again.`
              : `Interrupted: nothing of ${file} was kept.`,
          );
          summarize(results, files, json);
        };
        const result = await importFile(sql, file, options, onInterrupted);
        if (!json) {
          (options.dropped ? say : print)(describeFile(result, options, results));
          await printAll(result.dropped ?? []);
        }
        results.push(result);
      } catch (error) {
        if (!(error instanceof CommandError)) {
          // We cannot say that nothing was kept: the connection may have been lost after PostgreSQL had
          // committed, but before it could tell us.
          fail(file, `${file} failed. Import it and the files after it again.`);
          throw error;
        }
        process.exitCode = 1;
        const place = error.message.includes(file) ? "" : `${file}: `;
        fail(file, `${place}${error.message} Nothing of it was kept.`);
      }
    }
  } finally {
    // Also when PostgreSQL goes down before the last file: those before it are kept.
    summarize(results, files, json);
  }
}

async function readArguments() {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals: files } = parseArgs({
    allowPositionals: true,
    options: {
      format: text,
      source: text,
      status: text,
      mapping: text,
      outcodes: text,
      categories: text,
      "dry-run": flag,
      // Without a default, or it would seem to be given for categories.
      dropped: { type: "boolean" },
      json: flag,
    },
  });
  const { json, categories = null, "dry-run": dryRun, ...ofBusinesses } = values;
  if ((files.length === 0) === (categories === null)) throw new CommandError(USAGE);
  const [option] = Object.keys(ofBusinesses);
  if (categories !== null && option) throw new CommandError(`--${option} is not for categories.`);
  const format = formats.find((known) => known === values.format) ?? null;
  if (values.format !== undefined && !format) {
    throw new CommandError(`--format must be one of ${formats.join(", ")}.`);
  }
  const { status = "approved" } = values;
  if (status !== "approved" && status !== "pending") {
    throw new CommandError("--status must be approved or pending.");
  }
  if (values.source !== undefined && !/^[\w.-]{1,100}$/.test(values.source)) {
    throw new CommandError("--source must be letters, digits, '.', '-' and '_', at most 100.");
  }
  if (values.mapping !== undefined && (format ?? "csv") !== "csv") {
    throw new CommandError("--mapping is for CSV only.");
  }
  if (values.dropped && files.length > 1) {
    throw new CommandError("--dropped is for one file, which has the whole feed.");
  }
  // It saves a sixth of the time, which is more than a second start takes.
  if (files.some((file) => Bun.file(file).size >= LARGE_FILE_BYTES)) startOverWithAllocator();
  const options: FileOptions = {
    format,
    source: values.source ?? null,
    status,
    mapping: values.mapping === undefined ? null : await readMapping(values.mapping),
    outcodes: values.outcodes === undefined ? undefined : await readOutcodes(values.outcodes),
    dryRun,
    dropped: values.dropped ?? false,
  };
  return { json, files, categories, options };
}
