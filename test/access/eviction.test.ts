import { afterAll, expect, test } from "bun:test";
import pino from "pino";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { warnOfEviction } from "../../src/access/eviction.ts";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { newFolder, startTestServer } from "../support.ts";

const supervisor = new Supervisor(await newFolder());
const frail = await startFrailRedis(supervisor);
afterAll(() => supervisor.stop());

function openLog() {
  const lines: { level: number; msg: string; policy?: string }[] = [];
  const log = pino({}, { write: (text: string) => void lines.push(JSON.parse(text)) });
  return { log, lines };
}

async function set(maxmemory: string, policy: string): Promise<void> {
  await frail.call("CONFIG", "SET", "maxmemory", maxmemory, "maxmemory-policy", policy);
}

test("a server whose Redis would forget usage when it is full says so", async () => {
  await set("100mb", "volatile-lru");
  const { log, lines } = openLog();
  await using _server = await startTestServer({ redisUrls: [frail.url] }, { log });
  await until(() => lines.some(({ policy }) => policy === "volatile-lru"), 5_000);
  expect(lines.find(({ policy }) => policy)).toMatchObject({
    level: 40,
    msg: "a full Redis would forget what callers have used: set its maxmemory-policy to noeviction",
  });
});

test.each([
  ["noeviction", "100mb", "noeviction"],
  ["no limit", "0", "volatile-lru"],
])("no warning with %s", async (_, maxmemory, policy) => {
  await set(maxmemory, policy);
  const redis = openRedis([frail.url]);
  await connectRedis(redis);
  const { log, lines } = openLog();
  await warnOfEviction(redis, log);
  redis.disconnect();
  expect(lines).toEqual([]);
});

test("a Redis that does not allow INFO is used all the same", async () => {
  await set("100mb", "volatile-lru");
  await frail.call("ACL", "SETUSER", "guest", "on", ">secret", "~*", "+@all", "-info");
  const redis = openRedis([frail.url.replace("://", "://guest:secret@")]);
  await connectRedis(redis);
  const { log, lines } = openLog();
  await warnOfEviction(redis, log);
  redis.disconnect();
  expect(lines).toEqual([]);
});
