import { parseArgs } from "node:util";
import { createKey } from "../../src/access/keys.ts";
import { meterName } from "../../src/access/meters.ts";
import type { Sql } from "../../src/store/postgres.ts";
import type { Supervisor } from "../stack/supervisor.ts";
import { until } from "../stack/waiting.ts";
import { CommandError, runCommand } from "../terminal/command.ts";
import { print } from "../terminal/output.ts";
import { formatJson, formatTable } from "../terminal/table.ts";
import { OWNER } from "./callers.ts";
import { type FrailRedis, startFrailCluster, startFrailRedis } from "./redis.ts";
import { clusterFaults, type Fault, singleFaults } from "./redis-faults.ts";
import { startServers, withSupervisor } from "./stack.ts";

const USAGE = `Usage: npx bun scripts/bench/faults.ts [--only NAME] [--json]

Puts two servers under load from one key, and injects a fault into Redis some seconds before the
key's quota is used up: kill, pause, cut, flush, full; and on a cluster: calm, reshard, failover.
Prints how many requests were admitted and how many were allowed, the slowest response, the 5xx
responses, and the seconds from the end of the fault until Redis decides again for both servers.`;

const QUOTA = 4_000;
/** Requests per second: those the limit admits, and those sent. */
const RATE = 500;
const SENT_RATE = 800;
const CALLERS = 16;
const FAULT_AFTER_MS = 2_000;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const isWanted = ({ name }: Fault) => values.only === undefined || values.only === name;
  if (![...singleFaults, ...clusterFaults].some(isWanted)) {
    throw new CommandError(`There is no fault ${values.only}.\n\n${USAGE}`);
  }
  const lines: Line[] = [];

  if (singleFaults.some(isWanted)) {
    await withSupervisor(async (supervisor) => {
      const redis = await startFrailRedis(supervisor);
      await run(supervisor, [redis], singleFaults.filter(isWanted), lines);
    });
  }
  if (clusterFaults.some(isWanted)) {
    await withSupervisor(async (supervisor) => {
      const nodes = await startFrailCluster(supervisor);
      await run(supervisor, nodes, clusterFaults.filter(isWanted), lines);
    });
  }
  print(values.json ? formatJson(lines) : tableOf(lines));
});

interface Line {
  fault: string;
  allowed: number;
  admitted: number;
  /** Requests of the key, as counted in PostgreSQL. */
  counted: number;
  slowestMs: number;
  answers: number;
  serverErrors: number;
  secondsUntilNormal: number;
}

async function run(
  supervisor: Supervisor,
  nodes: FrailRedis[],
  wanted: Fault[],
  lines: Line[],
): Promise<void> {
  const redisUrls = nodes.map(({ url }) => url);
  const { urls, sql } = await startServers(supervisor, redisUrls, 2);
  for (const fault of wanted) lines.push(await underLoad(urls, sql, nodes, fault));
  await sql.end();
}

async function underLoad(
  urls: string[],
  sql: Sql,
  nodes: FrailRedis[],
  { name, happen }: Fault,
): Promise<Line> {
  const limits = { quota: QUOTA, perMinute: RATE * 60, burst: RATE };
  const { id, key } = await createKey(sql, { ...OWNER, ...limits });

  const statuses = new Map<number, number>();
  let slowestMs = 0;
  let isOver = false;
  const caller = async (number: number) => {
    let next = performance.now() + (number * 1000) / SENT_RATE;
    while (!isOver) {
      await Bun.sleep(Math.max(0, next - performance.now()));
      next += (CALLERS * 1000) / SENT_RATE;
      const url = `${urls[number % urls.length]}/api/v1/businesses`;
      const began = performance.now();
      const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      slowestMs = Math.max(slowestMs, performance.now() - began);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, number) => caller(number));

  await Bun.sleep(FAULT_AFTER_MS);
  await happen(nodes, meterName(id));
  const ended = performance.now();
  await until(() => isNormal(urls), 20_000);
  const secondsUntilNormal = (performance.now() - ended) / 1000;
  // The load goes on until the quota is used up, and for a while after that, when nothing may be admitted.
  await until(async () => (await usedBy(sql, id)) >= QUOTA, 30_000);
  await Bun.sleep(1_500);
  isOver = true;
  await Promise.all(callers);
  await Bun.sleep(1_000);

  const all = [...statuses];
  return {
    fault: name,
    allowed: QUOTA,
    admitted: statuses.get(200) ?? 0,
    counted: await usedBy(sql, id),
    slowestMs,
    answers: all.reduce((sum, [, count]) => sum + count, 0),
    serverErrors: all.reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0),
    secondsUntilNormal,
  };
}

async function isNormal(urls: string[]): Promise<boolean> {
  const states = await Promise.all(
    urls.map(async (url) => (await (await fetch(`${url}/healthz`)).json()) as Health),
  );
  return states.every(({ admission }) => admission.decidedBy === "redis");
}

interface Health {
  admission: { decidedBy: "redis" | "server" };
}

async function usedBy(sql: Sql, meterId: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select used::integer from usage where meter_id = ${meterId}`;
  return row?.used ?? 0;
}

function tableOf(lines: readonly Line[]): string {
  const heads = ["fault", "allowed", "admitted", "counted", "slowest ms", "answers", "5xx"];
  const rows = lines.map((line) => [
    line.fault,
    ...[line.allowed, line.admitted, line.counted].map(String),
    line.slowestMs.toFixed(0),
    ...[line.answers, line.serverErrors].map(String),
    line.secondsUntilNormal.toFixed(2),
  ]);
  return formatTable([...heads, "s until normal"], rows);
}
