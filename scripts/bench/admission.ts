import { join } from "node:path";
import { parseArgs } from "node:util";
import { startRedis } from "../stack/redis.ts";
import type { Supervisor } from "../stack/supervisor.ts";
import { runCommand } from "../terminal/command.ts";
import { formatTable } from "../terminal/table.ts";
import { readWholeNumber } from "../terminal/whole-number.ts";
import { load } from "./load.ts";
import { withSupervisor } from "./stack.ts";

const USAGE = `Usage: npx bun scripts/bench/admission.ts [--connections 1,64,256] [--seconds 2] [--rounds 3] [--json]

Admissions per second through HTTP, and the milliseconds of a decision: batched, with one script
call each, and without admission. One server process and a Redis of its own. The modes take turns,
round by round; the figures are those of the median round.`;

const MODES = ["none", "single", "batched"] as const;

async function benchmark(): Promise<void> {
  const { values } = parseArgs({
    options: {
      connections: { type: "string", default: "1,64,256" },
      seconds: { type: "string", default: "2" },
      rounds: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
    },
  });
  const durationMs = readWholeNumber("--seconds", values.seconds, 1) * 1000;
  const rounds = readWholeNumber("--rounds", values.rounds, 1);
  const steps = values.connections
    .split(",")
    .map((text) => readWholeNumber("--connections", text, 1));

  await withSupervisor(async (supervisor) => {
    const redis = await startRedis(supervisor, { durable: false, say: console.error });
    const url = await startServer(supervisor, redis.url);
    const lines: Line[] = [];
    for (const connections of steps) {
      for (const keys of [1, 10_000]) {
        const runs = new Map<string, Run[]>(MODES.map((mode) => [mode, []]));
        for (let round = 0; round <= rounds; round++) {
          for (const mode of MODES) {
            let next = 0;
            const pathOf = () => `/${mode}/${next++ % keys}`;
            await load(url, { connections, durationMs: 200, pathOf });
            await report(url);
            const { answers, seconds } = await load(url, { connections, durationMs, pathOf });
            const run = { perSecond: answers / seconds, ...(await report(url)) };
            // The first round warms up.
            if (round > 0) runs.get(mode)?.push(run);
          }
        }
        for (const [mode, all] of runs) {
          const middle = all.toSorted((a, b) => a.perSecond - b.perSecond)[all.length >> 1];
          if (middle) lines.push({ connections, keys, mode, ...middle });
        }
      }
    }
    if (values.json) console.log(JSON.stringify(lines));
    else console.log(tableOf(lines));
  });
}

async function startServer(supervisor: Supervisor, redisUrl: string): Promise<string> {
  const daemon = supervisor.start({
    title: "The server",
    name: "server",
    command: [process.execPath, join(import.meta.dir, "programs", "admission.ts")],
    env: { ...process.env, REDIS_URL: redisUrl },
  });
  await supervisor.ready(daemon, async () => daemon.lastWords() !== "");
  return `http://127.0.0.1:${daemon.lastWords()}`;
}

interface Run {
  perSecond: number;
  p50: number;
  p99: number;
  p999: number;
  failures: number;
  outages: number;
}

interface Line extends Run {
  connections: number;
  keys: number;
  mode: string;
}

async function report(url: string): Promise<Omit<Run, "perSecond">> {
  return (await (await fetch(`${url}/report`)).json()) as Omit<Run, "perSecond">;
}

function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ connections, keys, mode, perSecond, p50, p99, p999, ...rest }) => {
    const single = lines.find(
      (line) => line.mode === "single" && line.connections === connections && line.keys === keys,
    );
    const ratio = (perSecond / (single?.perSecond ?? perSecond)).toFixed(2);
    const times = [p50, p99, p999].map((time) => time.toFixed(2));
    const faults = [rest.failures, rest.outages].map(String);
    return [`${connections}`, `${keys}`, mode, perSecond.toFixed(0), ratio, ...times, ...faults];
  });
  const heads = ["connections", "keys", "mode", "per second", "to single", "p50 ms", "p99", "p999"];
  return formatTable([...heads, "refused", "outages"], rows);
}

await runCommand(USAGE, benchmark);
