import { parseArgs } from "node:util";
import { createKey } from "../../src/access/keys.ts";
import { startRedis } from "../stack/redis.ts";
import { runCommand } from "../terminal/command.ts";
import { readWholeNumber } from "../terminal/options.ts";
import { print } from "../terminal/output.ts";
import { formatJson, formatTable } from "../terminal/table.ts";
import { OWNER } from "./callers.ts";
import { startFrailCluster } from "./redis.ts";
import { startServers, withSupervisor } from "./stack.ts";

const USAGE = `Usage: npx bun scripts/bench/burst.ts [--cluster] [--servers 4] [--repetitions 20] [--json]

Sends four servers 4,000 concurrent requests with one key of 60 a minute and a quota of 100, and 400
more when the bucket is full again, and counts those admitted; each repetition uses a new key.
--cluster uses a Redis Cluster of three masters. WORKERS=4 and --servers 1 test one server of four
processes.`;

const LIMITS = { quota: 100, perMinute: 60, burst: 60 };

await runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      cluster: { type: "boolean", default: false },
      servers: { type: "string", default: "4" },
      repetitions: { type: "string", default: "20" },
      json: { type: "boolean", default: false },
    },
  });
  const servers = readWholeNumber("--servers", values.servers, 1);
  const repetitions = readWholeNumber("--repetitions", values.repetitions, 1);

  await withSupervisor(async (supervisor) => {
    const nodes = values.cluster
      ? await startFrailCluster(supervisor)
      : [await startRedis(supervisor, { durable: false })];
    const redisUrls = nodes.map(({ url }) => url);
    const { urls, sql } = await startServers(supervisor, redisUrls, servers);

    const lines: Line[] = [];
    const keys: string[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const { key } = await createKey(sql, { ...OWNER, ...LIMITS });
      keys.push(key);
      const began = performance.now();
      const { admitted, lastAdmittedAt, others } = await send(urls, key, 4_000);
      const seconds = (performance.now() - began) / 1000;
      const lastAt = (lastAdmittedAt - began) / 1000;
      const allowed = LIMITS.burst + Math.floor((lastAt * LIMITS.perMinute) / 60);
      lines.push({ allowed, admitted, seconds, lastAdmittedAt: lastAt, others });
    }
    await Bun.sleep(61_000);
    for (const [index, key] of keys.entries()) {
      const line = lines[index] as Line;
      line.inTheMonth = line.admitted + (await send(urls, key, 400)).admitted;
    }
    await sql.end();
    print(values.json ? formatJson(lines) : tableOf(lines));
  });
});

interface Line {
  /** A full bucket plus the tokens refilled by the last 200. */
  allowed: number;
  admitted: number;
  /** From the first request to the last answer. */
  seconds: number;
  /** When the last 200 came. */
  lastAdmittedAt: number;
  /** Responses other than 200 and 429. */
  others: number;
  inTheMonth?: number;
}

async function send(urls: string[], key: string, requests: number) {
  let admitted = 0;
  let others = 0;
  let lastAdmittedAt = 0;
  const headers = { Authorization: `Bearer ${key}` };
  await Promise.all(
    Array.from({ length: requests }, async (_, request) => {
      const url = `${urls[request % urls.length]}/api/v1/businesses`;
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      if (response.status === 200) {
        admitted += 1;
        lastAdmittedAt = performance.now();
      } else if (response.status !== 429) others += 1;
    }),
  );
  return { admitted, others, lastAdmittedAt };
}

function tableOf(lines: readonly Line[]): string {
  const heads = [
    "repetition",
    "allowed",
    "admitted",
    "seconds",
    "last 200 at",
    "neither 200 nor 429",
    "month",
  ];
  const rows = lines.map(({ allowed, admitted, seconds, lastAdmittedAt, ...line }, index) => [
    ...[index + 1, allowed, admitted].map(String),
    seconds.toFixed(2),
    lastAdmittedAt.toFixed(2),
    ...[line.others, line.inTheMonth ?? 0].map(String),
  ]);
  return formatTable(heads, rows);
}
