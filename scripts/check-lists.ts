import { parseArgs } from "node:util";
import { checkLists, type ListCheck, type ListFault } from "../src/directory/list-check.ts";
import { repairLists } from "../src/directory/list-repair.ts";
import { counted, grouped } from "../src/numbers.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { runCommand } from "./terminal/command.ts";
import { print, sayWaiting } from "./terminal/output.ts";
import { progressBar } from "./terminal/progress-bar.ts";
import { formatJson, formatTable } from "./terminal/table.ts";

const USAGE = `Usage: npx bun scripts/check-lists.ts [--repair] [--json]

Compares every list and every total with the businesses, and looks for businesses whose opening hours
cannot be read, or whose category or city is gone. It finds nothing wrong unless something changed while
the database's triggers were disabled. Exit code 1 if anything remains wrong.

  --repair  corrects lists and totals; changes to businesses wait meanwhile
  --json    one line: {"businesses","lists","faults","wrongAncestors","wrongHours","wrongReferences",
            "repaired","seconds"}`;

/** Rows of the table, the worst first: more would say nothing new. */
const MOST_SHOWN = 20;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      repair: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const { databaseUrl } = await scriptConfig();
  await using sql = await openDatabase(databaseUrl, 2);
  const bar = progressBar("{bar} {value} of {total} categories | {eta_formatted} left");
  const started = performance.now();
  const look = values.repair ? repairLists : checkLists;
  const check = await look(sql, {
    onWait: sayWaiting,
    onProgress(done, categories) {
      if (done === 1) bar.start(categories);
      bar.update(done);
    },
  }).finally(bar.stop);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const isWrong = check.faults.length > 0 || check.wrongAncestors > 0;
  const repaired = isWrong && values.repair;
  print(
    values.json ? formatJson({ ...check, repaired, seconds }) : describe(check, repaired, seconds),
  );
  if ((isWrong && !repaired) || check.wrongHours + check.wrongReferences > 0) process.exitCode = 1;
});

function describe(check: ListCheck, repaired: boolean, seconds: number): string {
  const { businesses, lists, faults, wrongAncestors, wrongHours, wrongReferences } = check;
  const isWrong = faults.length > 0 || wrongAncestors > 0;
  const compared = `${counted(lists, "list", "lists")} of ${counted(businesses, "approved business", "approved businesses")}, compared in ${seconds} s`;
  const worst = faults.toSorted((a, b) => misplaced(b) - misplaced(a)).slice(0, MOST_SHOWN);
  return [
    `${compared}: ${isWrong ? `${grouped(faults.length)} wrong` : "all right"}.`,
    wrongHours > 0 &&
      `The opening hours of ${counted(wrongHours, "business", "businesses")} cannot be read: find them with \`select slug, opening_hours from businesses where not is_opening_hours(opening_hours)\`, and correct them.`,
    wrongReferences > 0 &&
      `The category or city of ${counted(wrongReferences, "business", "businesses")} is gone: find them with \`select businesses.slug, category_id, city_id from businesses left join categories on categories.id = category_id left join cities on cities.id = city_id where (category_id, city_id) is distinct from (categories.id, cities.id)\`, correct them, then run this command with --repair.`,
    wrongAncestors > 0 &&
      `The tree of categories ${repaired ? "was" : "is"} wrong in ${counted(wrongAncestors, "place", "places")}.`,
    faults.length > 0 && `\n${tableOf(worst)}`,
    faults.length > MOST_SHOWN && `and ${grouped(faults.length - MOST_SHOWN)} more`,
    faults.some(isOnlyMiscounted) &&
      `\nWhere only chunks are wrong, later pages ${repaired ? "began" : "begin"} in the wrong place.`,
    isWrong &&
      (repaired
        ? "\nRepaired. Search may still lack what changed without triggers: run `npx bun scripts/sync-search.ts --rebuild`."
        : "\nRun this command with --repair."),
  ]
    .filter(Boolean)
    .join("\n");
}

function misplaced({ missing, strays }: ListFault): number {
  return missing + strays;
}

/** Whether its total and its businesses are right, but not how many come before a page. */
function isOnlyMiscounted(fault: ListFault): boolean {
  return misplaced(fault) === 0 && fault.total === fault.due;
}

function tableOf(faults: readonly ListFault[]): string {
  const heads = ["category", "city", "total", "should be", "missing", "strays", "wrong chunks"];
  const rows = faults.map(({ category, city, total, due, missing, strays, wrongChunks }) => [
    category ?? "any",
    city ?? "any",
    ...[total, due, missing, strays, wrongChunks].map(String),
  ]);
  return formatTable(heads, rows);
}
