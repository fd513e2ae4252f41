import { grouped } from "../../src/numbers.ts";
import { generateBusinesses } from "../generate/businesses.ts";
import { CommandError } from "../terminal/command.ts";
import { median } from "./compare.ts";
import { withDatabase } from "./databases.ts";
import { runScript } from "./directory.ts";
import { residentBytes, startTested } from "./programs.ts";
import type { Bench, Measured, Scenario } from "./scenario.ts";

/** Scenarios for how fast a server starts, how much memory it takes, and how fast data is loaded. */
export const loading: Scenario[] = [
  { name: "memory", title: "memory of the server after all above", measure: measureMemory },
  { name: "ready", title: "server ready, stores up", measure: measureReady },
  { name: "load", title: "load by the generator, COPY", measure: reportLoad },
  { name: "import", title: "import of a file, COPY", measure: measureImport },
];

const MOST_MEMORY_BYTES = 300e6;
const MOST_READY_MS = 1_000;
const LEAST_ROWS_A_SECOND = 20_000;
const IMPORTED_ROWS = 200_000;

async function measureMemory(bench: Bench): Promise<Measured> {
  const server = await bench.server();
  const memoryBytes = await residentBytes(server.daemon.pid);
  return {
    memoryBytes,
    goal: "at most 300 MB",
    isReached: memoryBytes <= MOST_MEMORY_BYTES,
    notes: [`of a directory of ${grouped(bench.directory.built.count)}`],
  };
}

/** From the start of the process to its first 200. */
async function measureReady({ supervisor, directory, rounds }: Bench): Promise<Measured> {
  const times: number[] = [];
  for (let round = 0; round < rounds.rounds; round++) {
    const began = performance.now();
    const { daemon } = await startTested(supervisor, directory, { name: "ready" });
    times.push(performance.now() - began);
    await daemon.stop();
  }
  const p50Ms = median(times);
  return { p50Ms, goal: "within 1 s", isReached: p50Ms <= MOST_READY_MS };
}

/** As measured when this directory was built. */
async function reportLoad({ directory }: Bench): Promise<Measured> {
  const { count, loadSeconds } = directory.built;
  const perSecond = count / loadSeconds;
  return {
    perSecond,
    goal: "at least 20,000 rows a second",
    isReached: perSecond >= LEAST_ROWS_A_SECOND,
    notes: [`${grouped(count)} rows into an empty directory, when it was built`],
  };
}

/** Imports only new rows, into a throw-away copy of the directory. */
async function measureImport(bench: Bench): Promise<Measured> {
  const rows = Math.min(IMPORTED_ROWS, bench.directory.built.count);
  const file = bench.file("import.ndjson");
  await bench.stopServer();
  const writer = Bun.file(file).writer();
  for (const record of generateBusinesses({ count: rows, seed: 2 })) {
    writer.write(`${JSON.stringify(record)}\n`);
  }
  await writer.end();
  return await withDatabase(bench.directory, { name: "import", copy: true }, async (env) => {
    const output = await runScript(env, "import.ts", file, "--source", "bench", "--json");
    const { created, files } = JSON.parse(output) as Imported;
    if (created !== rows) throw new CommandError(`Not all of ${rows} rows were created: ${output}`);
    const perSecond = rows / (files[0]?.seconds ?? Number.NaN);
    return {
      perSecond,
      goal: "at least 20,000 rows a second",
      isReached: perSecond >= LEAST_ROWS_A_SECOND,
      notes: [
        `${grouped(rows)} new rows into the directory of ${grouped(bench.directory.built.count)}`,
      ],
    };
  });
}

/** What import.ts prints with --json. */
interface Imported {
  created: number;
  files: { seconds: number }[];
}
