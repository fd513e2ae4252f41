import { say } from "../terminal/output.ts";
import { askAll } from "./ask.ts";
import { writeKeys } from "./callers.ts";
import { median, medianRun, STEP } from "./compare.ts";
import { recordLists } from "./lists.ts";
import type { Found } from "./programs/searcher.ts";
import type { Written } from "./programs/writer.ts";
import { residentBytes, startInBackground } from "./programs.ts";
import type { Bench, Measured, Scenario } from "./scenario.ts";
import { drive, type Run } from "./wrk.ts";

const CHANGES_A_SECOND = 200;

/** Scenarios in which the directory changes. */
export const whileChanging: Scenario[] = [
  {
    name: "changes",
    title: `open list while ${CHANGES_A_SECOND} changes a second are committed`,
    measure: measureChanges,
  },
  {
    name: "freshness",
    title: "a new name in search, during those changes and the open list",
    measure: measureFreshness,
  },
];

const LEAST_RATIO = 0.7;
const MOST_STALE_MS = 1_000;
const MOST_UNFOUND_MS = 5_000;

/** The ratio is to a run of the same requests while nothing changes. */
async function measureChanges(bench: Bench): Promise<Measured> {
  const { rounds, seconds } = bench.rounds;
  const server = await bench.server();
  const { requestsFile, mix } = await recordLists(bench);
  const traffic = { requestsFile, callersFile: null };

  const runs: { quiet: Run; busy: Run; written: Written }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const options = { seconds, from: round * STEP };
    // Sends each request once, so that the quiet run has only cache hits, even for what the changes of the
    // previous round invalidated.
    await askAll(server.url, traffic, () => {});
    const quiet = await drive(server.url, traffic, options);
    using writer = await startWriter(bench, [server.url, requestsFile, `${round}`]);
    const busy = await drive(server.url, traffic, options);
    runs.push({ quiet, busy, written: await writer.stop() });
    say(`  round ${round} of ${rounds}: ratio ${(busy.perSecond / quiet.perSecond).toFixed(2)}`);
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
      `stale for ${median(staleMs).toFixed(0)} ms (median), ${mostStale.toFixed(0)} ms at most, of ${staleMs.length} samples`,
    ],
  };
}

/** How long it takes until search finds a committed name. */
async function measureFreshness(bench: Bench): Promise<Measured> {
  const { rounds, seconds } = bench.rounds;
  const { directory } = bench;
  const server = await bench.server();
  const { requestsFile } = await recordLists(bench);
  const callersFile = await writeKeys(directory.sql, bench.file("keys.txt"));
  using writer = await startWriter(bench, [server.url, requestsFile, "0"]);
  using searcher = await startInBackground<Found>(directory, "searcher.ts", [
    server.url,
    callersFile,
  ]);
  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round++) {
    const traffic = { requestsFile, callersFile: null };
    // Twice as long as elsewhere, since few names are committed and found in a round.
    runs.push(await drive(server.url, traffic, { seconds: 2 * seconds, from: round * STEP }));
    say(`  round ${round} of ${rounds}`);
  }
  const { foundMs, unfound } = await searcher.stop();
  await writer.stop();
  const most = Math.max(...foundMs);
  return {
    ...medianRun(runs),
    goal: "found within 5 s",
    isReached: most <= MOST_UNFOUND_MS,
    staleMs: { median: median(foundMs), most, samples: foundMs.length },
    notes: [
      `found after ${(median(foundMs) / 1000).toFixed(1)} s (median), ${(most / 1000).toFixed(1)} s at most, of ${foundMs.length} names; the figures in the table are for the open list`,
      ...(unfound > 0 ? [`${unfound} of them were not found within a minute`] : []),
    ],
  };
}

function startWriter({ directory }: Bench, [url, requestsFile, seed]: [string, string, string]) {
  const args = [url, requestsFile, `${CHANGES_A_SECOND}`, seed];
  return startInBackground<Written>(directory, "writer.ts", args);
}
