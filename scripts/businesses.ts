import { isatty } from "node:tty";
import { parseArgs } from "node:util";
import {
  type ActionResult,
  applyAction,
  applyActionToFree,
  type BusinessAction,
  businessActions,
  type Candidate,
  listCandidates,
} from "../src/directory/moderation.ts";
import { businessStatuses } from "../src/directory/status.ts";
import type { Sql } from "../src/store/postgres.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { CommandError, runCommand } from "./terminal/command.ts";
import { print, printAll, say } from "./terminal/output.ts";
import { formatJson, formatLine, formatTable } from "./terminal/table.ts";

const USAGE = `Usage: npx bun scripts/businesses.ts ACTION SLUG…
       npx bun scripts/businesses.ts list [--status pending] [--source osm] [--json]

Actions: ${businessActions.join(", ")}.
A change shows in lists and details within a second, in search within five.

  list      shows slug, name, what is missing for approval, the id that its feed gave it, and the
            name of that feed, by slug; tab-separated if stdout is not a terminal
  --status  ${businessStatuses.join(", ")}; default pending
  --source  only what was imported under this name
  --json    one JSON line for each business: slug, name, missing, sourceId, source`;

/** Slugs in a transaction. Announcements of more than 500 changes would empty the servers' caches. */
const BATCH_SIZE = 100;

/** Milliseconds after which it is said what an action waits for: categories that wait hold it up for a second. */
const PATIENCE_MS = 2_000;

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      status: { type: "string" },
      source: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const { status = "pending", source, json = false } = values;
  // A list saved on Windows ends its lines with a carriage return.
  const [name, ...slugs] = positionals.map((each) => each.trim());
  const isList = name === "list" && slugs.length === 0;
  const action = businessActions.find((known) => known === name);
  if (!isList && (!action || slugs.length === 0)) throw new CommandError(USAGE);
  const [option] = Object.keys(values);
  if (!isList && option) throw new CommandError(`--${option} belongs to list.`);
  const listed = businessStatuses.find((known) => known === status);
  if (!listed) {
    throw new CommandError(
      `--status must be one of ${businessStatuses.join(", ")}; not ${status}.`,
    );
  }

  const config = await scriptConfig();
  await using sql = await openDatabase(config.databaseUrl, 1);
  if (action) await change(sql, action, slugs);
  else await printAll(formatted(listCandidates(sql, { status: listed, source }), json));
});

async function change(sql: Sql, action: BusinessAction, slugs: readonly string[]): Promise<void> {
  // Printed as it goes, so that whoever stops it halfway sees how far it got.
  for (let start = 0; start < slugs.length; start += BATCH_SIZE) {
    const batch = slugs.slice(start, start + BATCH_SIZE);
    const results = await announced(
      "changing categories or repairing lists",
      applyActionToFree(sql, action, batch),
    );
    for (const result of results) report(action, result);
    const others = new Set(batch).difference(new Set(results.map(({ slug }) => slug)));
    for (const slug of others) {
      // An import keeps what it has changed locked until it commits.
      report(action, await announced(`changing ${slug}`, applyAction(sql, action, slug)));
    }
  }
}

/** Says who is waited for if it takes long. */
function announced<Result>(others: string, work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => say(`Waiting for whoever is ${others}.`), PATIENCE_MS);
  return work.finally(() => clearTimeout(timer));
}

function report(action: BusinessAction, result: ActionResult): void {
  const isDone = result.result === "changed" || result.result === "unchanged";
  if (!isDone) process.exitCode = 1;
  (isDone ? print : say)(describe(action, result));
}

function describe(action: BusinessAction, result: ActionResult): string {
  switch (result.result) {
    case "changed":
      return `${result.slug}: ${action} done`;
    case "unchanged":
      return `${result.slug}: ${action} changed nothing, that was already its state`;
    case "unknown":
      return `${result.slug}: no such business`;
    case "incomplete":
      return `${result.slug}: cannot be approved, it lacks ${result.missing.join(", ")}`;
  }
}

/** On a terminal, one table for each batch: there may be too many rows to know the widths of all. */
async function* formatted(
  batches: AsyncIterable<Candidate[]>,
  json: boolean,
): AsyncGenerator<string> {
  let isEmpty = true;
  const isTerminal = isatty(1);
  const heads = ["slug", "name", "missing", "source id", "source"];
  for await (const candidates of batches) {
    isEmpty = false;
    const rows = candidates.map(({ slug, name, missing, sourceId, source }) => {
      return [slug, name, missing.join(", "), sourceId, source];
    });
    if (json) yield candidates.map(formatJson).join("\n");
    else if (isTerminal) yield formatTable(heads, rows);
    else yield rows.map(formatLine).join("\n");
  }
  if (isEmpty && isTerminal && !json) yield "No such businesses.";
}
