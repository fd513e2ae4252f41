import { afterAll, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { watchOutages } from "../../src/access/outage.ts";
import { openRedis } from "../../src/store/redis.ts";
import { openProxy } from "../proxy.ts";
import { newFolder } from "../support.ts";

const supervisor = new Supervisor(await newFolder());
const frail = await startFrailRedis(supervisor);
afterAll(() => supervisor.stop());

/** How many SET commands this Redis has run: nothing else sends one. */
async function probesSent(): Promise<number> {
  const statistics = String(await frail.call("INFO", "commandstats"));
  return Number(/^cmdstat_set:calls=(\d+)/m.exec(statistics)?.[1] ?? 0);
}

test("paused: Redis is sent only one probe, however long it does not answer", async () => {
  const redis = openRedis([frail.url]);
  await redis.connect();
  const outage = watchOutages(redis, {
    onBegin() {},
    async recover() {},
    onEnd() {},
    hangingMs: 1_000,
  });
  const before = await probesSent();
  // Long enough for many probes.
  const isGivenUp = new Promise((resolve) => redis.once("close", resolve));
  try {
    frail.pause();
    outage.begin(new Error("no answer"), "a key");
    await isGivenUp;
  } finally {
    outage.stop();
    frail.resume();
    redis.disconnect();
  }
  expect(await probesSent()).toBe(before + 1);
});

test("probes go to what failed in the present outage, not to ever more, and expire", async () => {
  const redis = openRedis([frail.url]);
  await redis.connect();
  let recoveries = 0;
  const outage = watchOutages(redis, {
    onBegin() {},
    async recover() {
      recoveries++;
      // By the next probe all that failed is known.
      if (recoveries === 1) throw new Error("PostgreSQL is away");
    },
    onEnd() {},
  });
  const untilEnded = () => until(() => !outage.isOn, 5_000);
  try {
    let before = await probesSent();
    for (let client = 0; client < 100; client++) {
      outage.begin(new Error("no answer"), `client ${client}`);
    }
    await untilEnded();
    expect(await probesSent()).toBe(before + 1 + 32);

    before = await probesSent();
    outage.begin(new Error("no answer"), "another client");
    await untilEnded();
    expect(await probesSent()).toBe(before + 1);

    const left = (await frail.call("KEYS", "probe:*")) as string[];
    const expiries = await Promise.all(left.map((name) => frail.call("PTTL", name)));
    expect(expiries).not.toContain(-1);
  } finally {
    outage.stop();
    redis.disconnect();
  }
});

test("a server that is stopping reports neither an outage nor the end of one", async () => {
  const redis = openRedis([frail.url]);
  await redis.connect();
  const told: string[] = [];
  const recovering = Promise.withResolvers<void>();
  const outage = watchOutages(redis, {
    onBegin: () => told.push("began"),
    async recover() {
      outage.stop();
      recovering.resolve();
    },
    onEnd: () => told.push("ended"),
  });
  outage.begin(new Error("no answer"), "a key");
  await recovering.promise;
  await setImmediate();
  expect(told).toEqual(["began"]);

  const stopped = watchOutages(redis, {
    onBegin: () => told.push("began again"),
    async recover() {},
    onEnd() {},
  });
  stopped.stop();
  stopped.begin(new Error("Connection is closed."), "a key");
  expect([stopped.isOn, told]).toEqual([false, ["began"]]);
  redis.disconnect();
});

test("lost: a connection whose other end is gone is reopened", async () => {
  const proxy = await openProxy(new URL(frail.url));
  const redis = openRedis([proxy.url]);
  await redis.connect();
  const ended = Promise.withResolvers<void>();
  const outage = watchOutages(redis, {
    onBegin() {},
    async recover() {},
    onEnd: ended.resolve,
    hangingMs: 200,
  });
  try {
    proxy.lose();
    outage.begin(new Error("no answer"), "a key");
    await ended.promise;
    expect(await redis.ping()).toBe("PONG");
  } finally {
    outage.stop();
    redis.disconnect();
    await proxy.close();
  }
});

test("lost: a connection that is lost before Redis is ready is reopened", async () => {
  const proxy = await openProxy(new URL(frail.url));
  const redis = openRedis([proxy.url], { longestSilenceMs: 1_000 });
  try {
    proxy.hold();
    const connected = new Promise<void>((resolve) => redis.once("connect", resolve));
    redis.connect().catch(() => {});
    await connected;
    proxy.lose();
    await proxy.mend();
    await until(() => succeeds(redis.ping()), 10_000);
  } finally {
    redis.disconnect();
    await proxy.close();
  }
});

test("Redis does not decide again until it has been told what was charged without it", async () => {
  const redis = openRedis([frail.url]);
  await redis.connect();
  const [told, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let tries = 0;
  const outage = watchOutages(redis, {
    onBegin() {},
    async recover() {
      if (++tries < 3) throw new Error("PostgreSQL is away");
      await told.promise;
    },
    onEnd: ended.resolve,
  });
  outage.begin(new Error("no answer"), "a key");
  await until(() => tries === 3, 5_000);
  expect(outage.isOn).toBe(true);
  told.resolve();
  await ended.promise;
  expect(outage.isOn).toBe(false);
  redis.disconnect();
});
