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
  /** Different requests in a mix of lists or details. */
  different: number;
  /** Where to keep a file of that name. */
  file(name: string): string;
  /** The server under test as it is used: started on first use, and then the same to the end. */
  server(): Promise<Served>;
  /** Ends that server, for a scenario that needs the database to itself. */
  stopServer(): Promise<void>;
}

/** The figures of a scenario, as far as it has them. Times are in milliseconds. */
export interface Measured {
  perSecond?: number;
  p50Ms?: number;
  p99Ms?: number;
  /** What the server holds after the scenario. */
  memoryBytes?: number;
  baseline?: { title: string; perSecond: number; p50Ms?: number; p99Ms?: number };
  ratio?: number;
  ratios?: number[];
  /** What is to be reached, for people. */
  goal: string;
  isReached: boolean;
  mix?: Mix;
  /** How long a committed change was not to be seen. */
  staleMs?: { median: number; most: number; samples: number };
  /** What else there is to know, a sentence each. */
  notes?: string[];
}

/** The figures of a comparison that is to reach a ratio. */
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
