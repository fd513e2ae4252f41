import { join } from "node:path";
import { CommandError } from "../terminal/command.ts";

/** What a run of wrk measured. Times are in milliseconds, with all connections busy. */
export interface Run {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Recorded requests, and the callers that send them in turn; see programs/wrk.lua. */
export interface Traffic {
  requestsFile: string;
  /** Null: each request comes from a different address, by the header of a trusted proxy. */
  callersFile: string | null;
}

/** @throws CommandError that says how to get wrk, if it is missing */
export function requireWrk(): void {
  if (!Bun.which("wrk")) {
    throw new CommandError(
      "wrk is missing; it drives the benchmark. Debian, Ubuntu: `apt-get install wrk`; macOS: `brew install wrk`.",
    );
  }
}

/**
 * Sends recorded requests over persistent connections, as fast as they are answered, from two threads,
 * since one could not saturate the bare server.
 * @param from the position in the requests and the callers to begin at
 * @throws CommandError when any status is 400 or above, or a connection breaks
 */
export async function drive(
  url: string,
  { requestsFile, callersFile }: Traffic,
  { seconds, from, connections = 64 }: { seconds: number; from: number; connections?: number },
): Promise<Run> {
  const wrk = Bun.spawn(
    [
      "wrk",
      `--threads=${Math.min(2, connections)}`,
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      "--timeout=10s",
      `--script=${SCRIPT}`,
      ...[url, "--", requestsFile, `${from}`],
      ...(callersFile === null ? [] : [callersFile]),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const [output, faults] = await Promise.all([
    new Response(wrk.stdout).text(),
    new Response(wrk.stderr).text(),
  ]);
  const line = output.split("\n").findLast((text) => text.startsWith("{"));
  if (!line) throw new CommandError(`wrk failed: ${faults.trim() || output.trim()}`);
  const { requests, refused, broken, ...figures } = JSON.parse(line) as Done;
  if (requests === 0 || refused + broken > 0) {
    throw new CommandError(
      `${url}: of ${requests} requests of ${requestsFile}, ${refused} got an error status and ${broken} failed.`,
    );
  }
  const { seconds: taken, p50Ms, p99Ms } = figures;
  return { perSecond: requests / taken, p50Ms, p99Ms };
}

const SCRIPT = join(import.meta.dir, "programs", "wrk.lua");

/** The last line that the script prints. */
interface Done {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Responses with a status of 400 or above. */
  refused: number;
  /** Connections that failed, and responses that never came. */
  broken: number;
}
