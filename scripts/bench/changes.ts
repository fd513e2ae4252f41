import { join } from "node:path";
import { CommandError } from "../command.ts";
import { median, medianRun, STEP } from "./compare.ts";
import { drawLists } from "./lists.ts";
import type { Written } from "./programs/writer.ts";
import { residentBytes } from "./programs.ts";
import { writeRequests } from "./requests.ts";
import type { Bench, Measured, Scenario } from "./scenario.ts";
import { drive, type Run } from "./wrk.ts";

/** The open list while the directory changes, next to the same list while it does not. */
export const whileChanging: Scenario = {
  name: "changes",
  title: "open list while 200 changes a second are committed",
  measure: measureChanges,
};

const CHANGES_A_SECOND = 200;
const LEAST_RATIO = 0.7;
const MOST_STALE_MS = 1_000;

async function measureChanges(bench: Bench): Promise<Measured> {
  const { rounds, seconds } = bench.rounds;
  const server = await bench.server();
  const paths = await drawLists(bench.directory.sql, bench.different);
  const { file: requestsFile, ...mix } = await writeRequests(
    bench.file("lists.txt"),
    paths.map((path) => ({ path, headers: {} })),
  );
  const traffic = { requestsFile, callersFile: null };

  const runs: { quiet: Run; busy: Run; written: Written }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const options = { seconds, from: round * STEP };
    // What was forgotten in the round before is asked for once more, so that quiet means warm.
    await drive(server.url, traffic, options);
    const quiet = await drive(server.url, traffic, options);
    const writer = await startWriter(bench, server.url, requestsFile, round);
    const busy = await drive(server.url, traffic, options);
    runs.push({ quiet, busy, written: await writer.stop() });
    bench.say(
      `  round ${round} of ${rounds}: ratio ${(busy.perSecond / quiet.perSecond).toFixed(2)}`,
    );
  }

  const ratios = runs.map(({ quiet, busy }) => busy.perSecond / quiet.perSecond);
  const staleMs = runs.flatMap(({ written }) => written.staleMs);
  const written = median(runs.map((run) => run.written.perSecond));
  const ratio = median(ratios);
  const mostStale = Math.max(...staleMs);
  return {
    ...medianRun(runs.map(({ busy }) => busy)),
    baseline: { title: "itself, quiet", ...medianRun(runs.map(({ quiet }) => quiet)) },
    memoryBytes: await residentBytes(server.daemon.pid),
    ratio,
    ratios,
    goal: `ratio at least ${LEAST_RATIO.toFixed(2)}, stale for at most 1 s`,
    isReached:
      ratio >= LEAST_RATIO && mostStale <= MOST_STALE_MS && written >= 0.95 * CHANGES_A_SECOND,
    mix,
    staleMs: { median: median(staleMs), most: mostStale, samples: staleMs.length },
    notes: [
      `${written.toFixed(0)} changes a second committed`,
      `stale for ${median(staleMs).toFixed(0)} ms in the middle and ${mostStale.toFixed(0)} ms at most, of ${staleMs.length} looks`,
    ],
  };
}

async function startWriter(
  { directory }: Bench,
  url: string,
  requestsFile: string,
  round: number,
): Promise<{ stop(): Promise<Written> }> {
  const writer = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "programs", "writer.ts"),
      ...[url, requestsFile, `${CHANGES_A_SECOND}`, `${round}`],
    ],
    { env: directory.env, stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = writer.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  return {
    async stop() {
      writer.stdin.end();
      let text = "";
      for (let read = await lines.read(); !read.done; read = await lines.read()) text += read.value;
      if ((await writer.exited) !== 0) throw new CommandError("The writer of changes failed.");
      return JSON.parse(text) as Written;
    },
  };
}
