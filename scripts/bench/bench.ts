import { join } from "node:path";
import { parseArgs } from "node:util";
import { claimFolder } from "../stack/claim.ts";
import { dataFolder } from "../stack/environment.ts";
import { endLeftovers } from "../stack/leftovers.ts";
import { Supervisor } from "../stack/supervisor.ts";
import { CommandError, runCommand } from "../terminal/command.ts";
import { readWholeNumber } from "../terminal/options.ts";
import { print, say } from "../terminal/output.ts";
import { formatJson } from "../terminal/table.ts";
import { againstBare } from "./against-bare.ts";
import { whileChanging } from "./changes.ts";
import { openDirectory } from "./directory.ts";
import { indexing } from "./indexing.ts";
import { loading } from "./loading.ts";
import { type Served, startTested } from "./programs.ts";
import { describe, type Line } from "./report.ts";
import type { Bench, Scenario } from "./scenario.ts";
import { uncached } from "./uncached.ts";
import { workers } from "./workers.ts";
import { requireWrk } from "./wrk.ts";

const SCENARIOS: Scenario[] = [
  ...againstBare,
  ...uncached,
  ...whileChanging,
  ...loading,
  indexing,
  workers,
];

const USAGE = `Usage: npx bun run bench [--count 1000000] [--scenarios a,b] [--seconds 4] [--rounds 5]
                     [--requests 100000] [--json]

Measures the whole service, on a directory of --count businesses, against baselines: each is a
separate process, driven by wrk over 64 connections. Server and baseline take turns for --rounds
rounds of --seconds each; the figures are medians of the rounds. The directory is built once, in
bench-N of DATA_DIR, and reused.

  --requests N   distinct requests in a mix
  --json         one line on stdout

Scenarios:
${SCENARIOS.map(({ name, title }) => `  ${name.padEnd(14)} ${title}`).join("\n")}`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "1000000" },
      scenarios: { type: "string" },
      seconds: { type: "string", default: "4" },
      rounds: { type: "string", default: "5" },
      requests: { type: "string", default: "100000" },
      json: { type: "boolean", default: false },
    },
  });
  const scenarios = chooseScenarios(values.scenarios);
  const count = readWholeNumber("--count", values.count, 1_000);
  const rounds = {
    rounds: readWholeNumber("--rounds", values.rounds, 5),
    seconds: readWholeNumber("--seconds", values.seconds, 1),
  };
  const different = readWholeNumber("--requests", values.requests, 100);
  requireWrk();

  const folder = join(dataFolder(process.env), `bench-${count}`);
  using _claim = await claimFolder(folder);
  await endLeftovers(folder);
  const supervisor = new Supervisor(folder);
  const lines: Line[] = [];
  try {
    await Promise.race([run(), supervisor.failure]);
    if (!lines.every(({ isReached }) => isReached)) say("Some targets were not met.");
  } finally {
    // Results so far are reported even if a later scenario fails.
    if (lines.length > 0) {
      print(values.json ? formatJson({ count, ...rounds, scenarios: lines }) : describe(lines));
    }
    await supervisor.stop();
  }

  async function run(): Promise<void> {
    const directory = await openDirectory(supervisor, count);
    const file = (name: string) => join(folder, name);
    let served: Promise<Served> | undefined;
    const bench: Bench = {
      supervisor,
      directory,
      rounds,
      different,
      file,
      server() {
        served ??= startTested(supervisor, directory);
        return served;
      },
      async stopServer() {
        await (await served)?.daemon.stop();
        served = undefined;
      },
    };
    for (const { name, title, measure } of scenarios) {
      say(title);
      lines.push({ name, title, ...(await measure(bench)) });
    }
    await directory.sql.end();
  }
});
process.exit();

function chooseScenarios(names: string | undefined): Scenario[] {
  const wanted = names?.split(",") ?? SCENARIOS.map(({ name }) => name);
  const unknown = wanted.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    throw new CommandError(`There is no scenario ${unknown.join(", ")}.\n\n${USAGE}`);
  }
  return SCENARIOS.filter(({ name }) => wanted.includes(name));
}
