import type { Supervisor } from "../stack/supervisor.ts";
import type { Comparison, Rounds } from "./compare.ts";
import type { Directory } from "./directory.ts";
import type { Served } from "./programs.ts";
import type { Mix } from "./requests.ts";

/** One line of the benchmark. */
export interface Scenario {
  /** For --scenarios. */
  name: string;
  title: string;
  measure(bench: Bench): Promise<Measured>;
}

/** What all scenarios share. */
export interface Bench {
  supervisor: Supervisor;
  directory: Directory;
  rounds: Rounds;
  /** Distinct requests in a mix of lists or details. */
  different: number;
  /** The path for a file of that name. */
  file(name: string): string;
  /** The server under test: started on first use, and then shared to the end. */
  server(): Promise<Served>;
  /** Ends that server, for a scenario that needs the database to itself. */
  stopServer(): Promise<void>;
}

/** The figures of a scenario, where it has them. Times are in milliseconds. */
export interface Measured {
  perSecond?: number;
  p50Ms?: number;
  p99Ms?: number;
  /** The server's resident memory after the scenario. */
  memoryBytes?: number;
  baseline?: { title: string; perSecond: number; p50Ms?: number; p99Ms?: number };
  ratio?: number;
  ratios?: number[];
  /** The target, for people. */
  goal: string;
  isReached: boolean;
  mix?: Mix;
  /** How long a committed change was not visible. */
  staleMs?: { median: number; most: number; samples: number };
  /** Further remarks. */
  notes?: string[];
}

/** The figures of a comparison with a target ratio. */
export function toMeasured(
  { tested, baseline, ratio, ratios }: Comparison,
  { title, atLeast }: { title: string; atLeast: number },
): Measured {
  return {
    ...tested,
    baseline: { title, ...baseline },
    ratio,
    ratios,
    goal: `ratio at least ${atLeast.toFixed(2)}`,
    isReached: ratio >= atLeast,
  };
}
