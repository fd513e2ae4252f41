import { parseArgs } from "node:util";
import { type Admission, createAdmission } from "../../src/access/admission.ts";
import { connectRedis, openRedis, type RedisClient } from "../../src/store/redis.ts";
import { startRedis } from "../stack/redis.ts";
import { until } from "../stack/waiting.ts";
import { runCommand } from "../terminal/command.ts";
import { formatTable } from "../terminal/table.ts";
import { readWholeNumber } from "../terminal/whole-number.ts";
import { noUsage } from "./no-usage.ts";
import { withSupervisor } from "./stack.ts";

const USAGE = `Usage: npx bun scripts/bench/memory.ts [--count 100000] [--json]

Bytes in Redis for each key, and for each client address: after one request, and for addresses after
the 60 that the window holds at most. Its used_memory, so with all overhead.`;

async function memory(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "100000" },
      json: { type: "boolean", default: false },
    },
  });
  const count = readWholeNumber("--count", values.count, 1);

  await withSupervisor(async (supervisor) => {
    const { url } = await startRedis(supervisor, { durable: false, say: console.error });
    const redis = openRedis([url]);
    await connectRedis(redis);
    const admission = createAdmission(redis, { usage: noUsage });
    const measure = (use: Use) => bytesEach(redis, admission, count, use);
    const lines = [
      { what: "key", requests: 1, bytes: await measure(keyed(admission)) },
      { what: "address", requests: 1, bytes: await measure(open(admission, 1)) },
      { what: "address", requests: 60, bytes: await measure(open(admission, 60)) },
    ];
    admission.stop();
    redis.disconnect();
    if (values.json) return console.log(JSON.stringify(lines));
    const rows = lines.map(({ what, requests, bytes }) =>
      [what, count, requests, Math.round(bytes)].map(String),
    );
    console.log(formatTable(["what", "count", "requests each", "bytes each"], rows));
  });
}

const keyed = (admission: Admission) => async () => {
  const id = Bun.randomUUIDv7();
  const limits = { quota: 1_000, perMinute: 60, burst: 60 };
  await admission.admitKey({ id, meterId: id, tier: "developer", ...limits });
};

const open = (admission: Admission, requests: number) => async (number: number) => {
  const client = `${10 + requests}.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  for (let request = 0; request < requests; request++) await admission.admitClient(client);
};

type Use = (number: number) => Promise<void>;

/**
 * The memory of Redis per entry. On a machine that stalls, Redis may seem slow and some callers are
 * then not counted there, so it goes on until there are as many entries as wanted.
 */
async function bytesEach(
  redis: RedisClient,
  admission: Admission,
  count: number,
  use: Use,
): Promise<number> {
  await redis.flushall();
  const before = await usedMemory(redis);
  let number = 0;
  while ((await redis.dbsize()) < count) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => use(number++)));
    await until(() => !admission.state().isLocal, 10_000);
  }
  return ((await usedMemory(redis)) - before) / (await redis.dbsize());
}

const AT_ONCE = 500;

async function usedMemory(redis: RedisClient): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
}

await runCommand(USAGE, memory);
