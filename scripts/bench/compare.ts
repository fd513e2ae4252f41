import { say } from "../terminal/output.ts";
import { drive, type Run, type Traffic } from "./wrk.ts";

/** A server to drive, and the recorded requests to drive it with. */
export interface Subject {
  url: string;
  traffic: Traffic;
}

export interface Comparison {
  tested: Run;
  baseline: Run;
  /** For each round, the figure of the tested server divided by that of the baseline. */
  ratios: number[];
  /** Their median. */
  ratio: number;
}

export interface Rounds {
  rounds: number;
  /** How long each run takes. */
  seconds: number;
}

/**
 * Lets two subjects take turns, so that other load on the machine affects both: after a warm-up round, every
 * round has a run of each, from the same place in the recorded requests. Prints the ratio of each round.
 * @param options.figure what is compared; by default requests per second
 * @returns medians of the rounds
 */
export async function compare(
  tested: Subject,
  baseline: Subject,
  {
    rounds,
    seconds,
    connections = 64,
    figure = (run) => run.perSecond,
  }: Rounds & { connections?: number; figure?: (run: Run) => number },
): Promise<Comparison> {
  const runs: { tested: Run; baseline: Run; ratio: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const options = { seconds, from: round * STEP, connections };
    const pair = {
      tested: await drive(tested.url, tested.traffic, options),
      baseline: await drive(baseline.url, baseline.traffic, options),
    };
    if (round === 0) continue;
    const ratio = figure(pair.tested) / figure(pair.baseline);
    runs.push({ ...pair, ratio });
    say(`  round ${round} of ${rounds}: ratio ${ratio.toFixed(2)}`);
  }
  const ratios = runs.map(({ ratio }) => ratio);
  return {
    tested: medianRun(runs.map((run) => run.tested)),
    baseline: medianRun(runs.map((run) => run.baseline)),
    ratios,
    ratio: median(ratios),
  };
}

/** How many recorded requests later each round begins. */
export const STEP = 104_729;

/** The median of each figure, perhaps from different runs. */
export function medianRun(runs: readonly Run[]): Run {
  return {
    perSecond: median(runs.map((run) => run.perSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
  };
}

/** For an even count the mean of the middle two; 0 for none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
