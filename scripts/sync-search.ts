import { parseArgs } from "node:util";
import { counted, grouped } from "../src/numbers.ts";
import { SEARCH_INDEX } from "../src/search/settings.ts";
import { type SyncProgress, type SyncResult, syncSearch } from "../src/search/sync.ts";
import { openMeilisearch } from "../src/store/meilisearch.ts";
import { openDatabase } from "./stack/database.ts";
import { scriptConfig } from "./stack/environment.ts";
import { runCommand } from "./terminal/command.ts";
import { print, say } from "./terminal/output.ts";
import { progressBar } from "./terminal/progress-bar.ts";
import { formatJson } from "./terminal/table.ts";

const USAGE = `Usage: npx bun scripts/sync-search.ts [--rebuild] [--json]

Brings the search index up to date with the approved businesses.

  --rebuild  builds a new index and swaps it in, while searches go on being answered
  --json     one line: {"rebuilt","documents","changes","seconds"}`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      rebuild: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });

  const config = await scriptConfig();
  await using sql = await openDatabase(config.databaseUrl, 2);
  const meili = openMeilisearch(config.meiliUrl, config.meiliKey);
  const attempt = async () => {
    using bar = progressBar(
      "{name} {bar} {value} of {total} | {rate} a second | {eta_formatted} left",
    );
    const started = performance.now();
    let phase: SyncProgress["phase"] | undefined;
    let told = started;
    const onProgress = (progress: SyncProgress) => {
      // The first report of a phase comes when part of it is already done. So the phase is taken to have begun
      // at the last report of the one before.
      if (progress.phase !== phase) {
        phase = progress.phase;
        bar.start(progress.total, { name: phase, since: told });
      }
      bar.update(progress.done);
      told = performance.now();
    };
    const result = await syncSearch(
      { sql, meili, index: SEARCH_INDEX },
      { rebuild: values.rebuild, tidy: true, onProgress },
    );
    return { result, seconds: (performance.now() - started) / 1000 };
  };
  let { result, seconds } = await attempt();
  if (result.state !== "current") say("Another process is doing this; waiting until it is done.");
  while (result.state !== "current") {
    await Bun.sleep(200);
    // Timed from here: waiting for another process does not count.
    ({ result, seconds } = await attempt());
  }
  report(result, seconds, values.json);
});

function report(
  result: Extract<SyncResult, { state: "current" }>,
  seconds: number,
  isJson: boolean,
): void {
  const { rebuilt, documents, changes } = result;
  if (isJson) {
    print(formatJson({ rebuilt, documents, changes, seconds: round(seconds) }));
  } else if (rebuilt) {
    const rate = grouped(Math.round(documents / seconds));
    const built = counted(documents, "business", "businesses");
    print(`Built a new index of ${built} in ${round(seconds)} s, ${rate} a second.`);
  } else {
    const brought = counted(changes, "change", "changes");
    print(`Applied ${brought} to the index in ${round(seconds)} s.`);
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
