import { drive, type Run, type Traffic } from "./wrk.ts";

/** What is asked, and with which recorded requests. */
export interface Subject {
  url: string;
  traffic: Traffic;
}

export interface Comparison {
  tested: Run;
  baseline: Run;
  /** Of each round, the figure of the tested one to that of the baseline. */
  ratios: number[];
  /** Their median. */
  ratio: number;
}

export interface Rounds {
  rounds: number;
  /** Of each run. */
  seconds: number;
}

/**
 * Lets two subjects take turns, so that what else the machine does meets both: a run of each in
 * every round, of the same requests from the same callers, after one to warm up.
 * @param figure what is compared; requests a second unless told otherwise
 * @returns medians of the rounds
 */
export async function compare(
  tested: Subject,
  baseline: Subject,
  { rounds, seconds }: Rounds,
  {
    figure = (run) => run.perSecond,
    onRound = () => {},
  }: { figure?: (run: Run) => number; onRound?: (round: number, ratio: number) => void } = {},
): Promise<Comparison> {
  const runs: { tested: Run; baseline: Run }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const options = { seconds: round === 0 ? 1 : seconds, from: round * STEP };
    const pair = {
      tested: await drive(tested.url, tested.traffic, options),
      baseline: await drive(baseline.url, baseline.traffic, options),
    };
    if (round === 0) continue;
    runs.push(pair);
    onRound(round, figure(pair.tested) / figure(pair.baseline));
  }
  const ratios = runs.map((run) => figure(run.tested) / figure(run.baseline));
  return {
    tested: medianRun(runs.map((run) => run.tested)),
    baseline: medianRun(runs.map((run) => run.baseline)),
    ratios,
    ratio: median(ratios),
  };
}

/** Requests by which each round begins later in the recorded ones. */
const STEP = 104_729;

export function medianRun(runs: readonly Run[]): Run {
  return {
    perSecond: median(runs.map((run) => run.perSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
