import { afterAll, expect, test } from "bun:test";
import pino from "pino";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { createAdmission } from "../../src/access/admission.ts";
import { logOutages } from "../../src/access/outage-log.ts";
import { openRedis } from "../../src/store/redis.ts";
import { openProxy } from "../proxy.ts";
import { newFolder, noUsage, startTestServer } from "../support.ts";

const supervisor = new Supervisor(await newFolder());
const frail = await startFrailRedis(supervisor);
afterAll(() => supervisor.stop());

test("the log says why Redis is away: how the connection was lost, not that there is none", async () => {
  const proxy = await openProxy(new URL(frail.url));
  const lines: { level: number; msg: string; err?: { message: string; stack?: string } }[] = [];
  const write = (text: string) => void lines.push(JSON.parse(text));
  const log = pino({ level: "debug" }, { write });
  const server = await startTestServer({ redisUrls: [proxy.url] }, { log });
  const ask = () => fetch(`${server.url}/api/v1/businesses`);
  const { info, error } = pino.levels.values as { info: number; error: number };
  /** What operators read of Redis, with the reasons. */
  const told = () =>
    lines
      .filter(({ level, msg }) => level >= info && msg.includes("Redis"))
      .map(({ msg, err }) => [msg, err?.message]);
  const failedAttempts = () => lines.filter(({ msg }) => msg === "Redis").length;
  const untilMoreFail = async (count: number) => {
    const before = failedAttempts();
    await until(() => failedAttempts() >= before + count, 5_000);
  };
  const AWAY = "Redis is down or slow: this server decides by itself";
  const refused = expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  try {
    // A request comes before the first attempt to reconnect.
    await proxy.cut();
    while (told().length < 1) expect((await ask()).status).toBe(200);
    await until(() => told().some(([, why]) => why?.includes("ECONN")), 5_000);
    await untilMoreFail(2);
    expect(told().length).toBeLessThanOrEqual(2);
    await proxy.mend();
    await until(() => told().at(-1)?.[0] === "Redis decides again", 5_000);

    // No request comes before it.
    const before = told().length;
    await proxy.cut();
    await untilMoreFail(1);
    expect((await ask()).status).toBe(200);
    expect(told().slice(before)).toEqual([[AWAY, refused]]);
    expect(lines.filter(({ level, err }) => level === error && err?.stack)).toEqual([]);
  } finally {
    await proxy.mend();
    await server.stop();
    await proxy.close();
  }
});

test("the log does not explain an outage with the reason of an earlier one", async () => {
  await using proxy = await openProxy(new URL(frail.url));
  const redis = openRedis([proxy.url]);
  await redis.connect();
  const errors: string[] = [];
  const write = (text: string) => void errors.push(JSON.parse(text).err.message);
  const onChange = logOutages(redis, pino({ level: "error" }, { write }));
  const admission = createAdmission(redis, { usage: noUsage, onChange });
  try {
    const isRefused = new Promise((resolve) => redis.once("error", resolve));
    await proxy.cut();
    await isRefused;
    await admission.admitClient("192.0.2.1");
    await proxy.mend();
    await until(() => !admission.state().isLocal, 15_000);
    frail.pause();
    await admission.admitClient("192.0.2.1");
    expect(errors).toEqual([expect.stringContaining("ECONNREFUSED"), "no answer within 100 ms"]);
  } finally {
    frail.resume();
    admission.stop();
    redis.disconnect();
  }
});
