import { afterAll, expect } from "bun:test";
import { setImmediate } from "node:timers/promises";
import pino from "pino";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import {
  type Admission,
  type AdmissionOptions,
  createAdmission,
} from "../../src/access/admission.ts";
import { AdmissionUnavailable, type Decision } from "../../src/access/decisions.ts";
import { type ApiKey, createKey } from "../../src/access/keys.ts";
import { createLastSeen } from "../../src/access/last-seen.ts";
import { meterName } from "../../src/access/meters.ts";
import { watchOutages } from "../../src/access/outage.ts";
import { logOutages } from "../../src/access/outage-log.ts";
import { type DurableUsage, openUsage } from "../../src/access/usage.ts";
import type { MeterMonth } from "../../src/access/usage-rows.ts";
import { loadConfig } from "../../src/config.ts";
import { start } from "../../src/main.ts";
import { openRedis, type RedisClient } from "../../src/store/redis.ts";
import { makeKey } from "../fixtures.ts";
import { openProxy } from "../proxy.ts";
import {
  createDatabase,
  delayedBy,
  newFolder,
  noUsage,
  patient,
  silent,
  startTestServer,
  stores,
  testInOneMonth as test,
  uniqueIndex,
} from "../support.ts";

// A Redis of its own, which is killed, paused, emptied, cut off and filled up.

const supervisor = new Supervisor(await newFolder());
const [database, frail] = await Promise.all([createDatabase(), startFrailRedis(supervisor)]);
afterAll(async () => {
  await supervisor.stop();
  await database.drop();
});

const newKey = (limits: Partial<ApiKey> = {}) =>
  makeKey({ quota: 100, perMinute: 60_000, burst: 60_000, ...limits });

interface TestServer {
  admission: Admission;
  usage: DurableUsage;
  redis: RedisClient;
  changes: boolean[];
}

/** Opens the admission of `instances` servers, without their upkeep: usage is written only on `flush`. */
async function withServers(
  options: Partial<AdmissionOptions> & { instances: number },
  use: (...servers: [TestServer, ...TestServer[]]) => Promise<void>,
): Promise<void> {
  const servers = await Promise.all(
    Array.from({ length: options.instances }, async () => {
      const redis = openRedis([frail.url]);
      await redis.connect();
      const usage = openUsage(database.sql);
      const changes: boolean[] = [];
      const onChange = (isLocal: boolean) => changes.push(isLocal);
      return {
        admission: createAdmission(redis, { usage, onChange, ...options }),
        usage,
        redis,
        changes,
      };
    }),
  );
  try {
    await use(...(servers as [TestServer, ...TestServer[]]));
  } finally {
    for (const { admission, redis } of servers) {
      admission.stop();
      redis.disconnect();
    }
  }
}

/** Usage that awaits `beforeTelling` between reading totals and returning them. */
function openUsageWith(beforeTelling: (asked: readonly MeterMonth[]) => Promise<void>) {
  const usage = openUsage(database.sql);
  const totals: DurableUsage["totals"] = async (asked, besides) => {
    const used = await usage.totals(asked, besides);
    await beforeTelling(asked);
    return used;
  };
  return { ...usage, totals };
}

/** How many of so many concurrent requests are admitted. */
async function admitted({ admission }: TestServer, key: ApiKey, requests: number): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, () => admission.admitKey(key)),
  );
  return decisions.filter(({ admitted }) => admitted).length;
}

const isBack = ({ admission }: TestServer) => until(() => !admission.state().isLocal, 15_000);
const stored = async ({ meterId }: ApiKey) => {
  const [row] = await database.sql`select used::integer from usage where meter_id = ${meterId}`;
  return row?.used ?? 0;
};

/** How many SET commands this Redis has run: nothing else sends one. */
async function probesSent(): Promise<number> {
  const statistics = String(await frail.call("INFO", "commandstats"));
  return Number(/^cmdstat_set:calls=(\d+)/m.exec(statistics)?.[1] ?? 0);
}

test("one flush writes charges and refunds, and adds to what others wrote", async () => {
  await withServers({ instances: 2, ...patient }, async (one, other) => {
    const key = newKey();
    await admitted(one, key, 5);
    await admitted(other, key, 3);
    const charge = await one.admission.admitKey(key);
    await one.usage.flush();
    await one.admission.refundKey(key, charge);
    await Promise.all([one.usage.flush(), other.usage.flush()]);
    expect(await stored(key)).toBe(8);
    await one.usage.flush();
    expect(await stored(key)).toBe(8);
  });
});

test("an emptied Redis continues from what PostgreSQL knows, also with many servers asking at once", async () => {
  await withServers({ instances: 2, ...patient }, async (one, other) => {
    const key = newKey();
    expect(await admitted(one, key, 30)).toBe(30);
    expect(await admitted(other, key, 30)).toBe(30);
    await Promise.all([one.usage.flush(), other.usage.flush()]);
    await frail.call("FLUSHALL");
    const counts = await Promise.all([admitted(one, key, 80), admitted(other, key, 80)]);
    expect(counts[0] + counts[1]).toBe(40);
    expect((await one.admission.usage(key)).used).toBe(100);
  });
});

test("usage that a server had not yet written when Redis was emptied reaches Redis after the next write", async () => {
  await withServers({ instances: 2, ...patient }, async (one, other) => {
    const key = newKey();
    await admitted(one, key, 30);
    await admitted(other, key, 30);
    await frail.call("FLUSHALL");
    await admitted(one, key, 1);
    expect((await one.admission.usage(key)).used).toBe(31);
    await other.usage.flush();
    await one.usage.flush();
    await other.usage.flush();
    await until(async () => (await one.admission.usage(key)).used === 61, 5_000);
  });
});

test("emptying Redis does not refill an empty bucket", async () => {
  await withServers({ instances: 1, ...patient }, async (server) => {
    const key = newKey({ perMinute: 1, burst: 10 });
    expect(await admitted(server, key, 8)).toBe(8);
    await frail.call("FLUSHALL");
    expect(await admitted(server, key, 8)).toBe(2);
  });
});

test("when Redis is emptied, a bucket keeps refilling from its last charge", async () => {
  await withServers({ instances: 1, ...patient }, async (server) => {
    const key = newKey({ perMinute: 6_000, burst: 10 });
    await server.admission.usage(key);
    // The time it takes to refill, or would if it were not full.
    const refill = () => Bun.sleep(110);
    await refill();
    const began = performance.now();
    const charged = await admitted(server, key, 10);
    await frail.call("FLUSHALL");
    const further = await admitted(server, key, 10);
    const gained = ((performance.now() - began) * key.perMinute) / 60_000;
    expect(charged + further).toBeLessThanOrEqual(10 + gained);
    await refill();
    await frail.call("FLUSHALL");
    expect(await admitted(server, key, 10)).toBe(10);
  });
});

test("the last reading of a meter is remembered, whatever its month", () => {
  const lastSeen = createLastSeen();
  const key = newKey();
  const rest = { tokensLeft: 3, monthEndsInSeconds: 9, nextTokenInSeconds: 0 };
  lastSeen.remember(key, { ...rest, month: "2026-11", used: 9 });
  lastSeen.remember({ ...key, perMinute: 7 }, { ...rest, month: "2026-12", used: 1 });
  const last = { used: 1, key: { ...key, perMinute: 7 } };
  expect(lastSeen.sighting(key.meterId)).toMatchObject(last);
});

test("killed: the server decides locally, never beyond the quota, and Redis takes over again", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    expect(await admitted(server, key, 40)).toBe(40);
    await frail.kill();
    expect(await admitted(server, key, 30)).toBe(30);
    expect(server.admission.state()).toEqual({ isLocal: true, outages: 1 });
    await frail.restart();
    await isBack(server);
    expect(await admitted(server, key, 100)).toBe(30);
    expect(server.changes).toEqual([true, false]);
    await server.usage.flush();
    expect(await stored(key)).toBe(100);
  });
});

test("killed: each of two servers admits its share of bucket, window and quota", async () => {
  await withServers({ instances: 2 }, async (one, other) => {
    const key = newKey({ quota: 1_000, perMinute: 60, burst: 60 });
    await frail.kill();
    const emptiedAt = performance.now();
    expect(await admitted(one, key, 100)).toBe(30);
    expect(await admitted(other, key, 100)).toBe(30);
    const open = await Promise.all(
      Array.from({ length: 100 }, () => one.admission.admitClient("198.51.100.7")),
    );
    expect(open.filter((wait) => wait === 0).length).toBe(30);
    const small = newKey({ quota: 10 });
    const counts = await Promise.all([admitted(one, small, 20), admitted(other, small, 20)]);
    // Each has five, and then shares of what is left, not knowing yet what the other has charged
    // since its last write.
    expect(counts[0] + counts[1]).toBeWithin(10, 16);
    await frail.restart();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await admitted(one, small, 20)).toBe(Math.max(0, 10 - counts[0] - counts[1]));
    // It gains one a second.
    const gained = (performance.now() - emptiedAt) / 1_000;
    expect(await admitted(one, key, 100)).toBeLessThanOrEqual(1 + Math.ceil(gained));
  });
});

test("killed: an empty bucket is refilled neither when the outage begins nor when it ends", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ perMinute: 1, burst: 10 });
    expect(await admitted(server, key, 7)).toBe(7);
    await frail.kill();
    expect(await admitted(server, key, 2)).toBe(2);
    expect(await admitted(server, key, 8)).toBe(1);
    await frail.restart();
    await isBack(server);
    expect(await admitted(server, key, 8)).toBe(0);
  });
});

test("killed again: what Redis admitted since the last outage counts", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await frail.kill();
    expect(await admitted(server, key, 10)).toBe(10);
    await frail.restart();
    await isBack(server);
    expect(await admitted(server, key, 80)).toBe(80);
    await frail.kill();
    expect(await admitted(server, key, 30)).toBe(10);
    await frail.restart();
    await isBack(server);
  });
});

test("killed: what was charged until then is written at once, for the other servers", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await admitted(server, key, 40);
    await frail.kill();
    await server.admission.admitClient("198.51.100.9");
    await until(async () => (await stored(key)) === 40, 5_000);
    await frail.restart();
    await isBack(server);
  });
});

test("killed: requests that arrive while a key's usage is being looked up count like all others", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ quota: 1 });
    await frail.kill();
    await server.admission.admitClient("198.51.100.10");
    const asked: Promise<{ admitted: boolean }>[] = [];
    await database.sql.begin(async (other) => {
      await other`lock table usage in access exclusive mode`;
      for (let request = 0; request < 5; request++) {
        asked.push(server.admission.admitKey(key));
        await setImmediate();
      }
    });
    const decisions = await Promise.all(asked);
    expect(decisions.filter(({ admitted }) => admitted).length).toBe(1);
    await frail.restart();
    await isBack(server);
  });
});

test("killed again: usage still being looked up when Redis came back is not used in the next outage", async () => {
  const key = newKey({ quota: 10 });
  const lookedUp = Promise.withResolvers<void>();
  const usage = openUsageWith(async (asked) => {
    if (asked.some(({ meterId }) => meterId === key.meterId)) await lookedUp.promise;
  });
  await withServers({ instances: 1, usage }, async (server) => {
    frail.pause();
    await server.admission.admitClient("198.51.100.11");
    const asked = server.admission.admitKey(key);
    frail.resume();
    await isBack(server);
    lookedUp.resolve();
    expect(await asked).toMatchObject({ admitted: true, used: 1 });
    expect(await admitted(server, key, 9)).toBe(9);
    await frail.kill();
    expect(await admitted(server, key, 5)).toBe(0);
    await frail.restart();
    await isBack(server);
  });
});

test("paused: what was still being looked up when Redis came back is charged there", async () => {
  const lookedUp = Promise.withResolvers<void>();
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const key = newKey({ quota: 10 });
    await server.admission.usage(key);
    meanwhile = () => lookedUp.promise;
    frail.pause();
    await server.admission.admitClient("198.51.100.14");
    const asked = server.admission.admitKey(key);
    frail.resume();
    await isBack(server);
    lookedUp.resolve();
    expect(await asked).toMatchObject({ admitted: true });
    expect(await admitted(server, key, 20)).toBe(9);
  });
});

test("paused: what was charged here while Redis was told of the rest is known when it decides again", async () => {
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const key = newKey({ quota: 10 });
    frail.pause();
    expect(await admitted(server, key, 3)).toBe(3);
    meanwhile = async () => {
      meanwhile = async () => {};
      expect(await admitted(server, key, 2)).toBe(2);
    };
    frail.resume();
    await isBack(server);
    expect(await admitted(server, key, 20)).toBe(5);
  });
});

test("killed: an answer of Redis from before does not admit what this process has admitted since", async () => {
  await withServers({ instances: 1, ...patient }, async (server) => {
    const { admission, redis } = server;
    const key = newKey({ quota: 1 });
    await admission.usage(key);
    const isCharged = Promise.withResolvers<void>();
    const isReceived = Promise.withResolvers<void>();
    const admitKeys = redis.admitKeys.bind(redis);
    redis.admitKeys = async (...values) => {
      const answer = await admitKeys(...values);
      isCharged.resolve();
      await isReceived.promise;
      return answer;
    };
    const asked = admission.admitKey(key);
    await isCharged.promise;
    await frail.kill();
    redis.admitKeys = admitKeys;
    expect(await admitted(server, key, 1)).toBe(1);
    isReceived.resolve();
    expect(await asked).toMatchObject({ admitted: false, reason: "quota_exceeded" });
    await frail.restart();
    await isBack(server);
  });
});

test("an answer of Redis that comes in an outage leaves no charge there, and no refund of a mere reading", async () => {
  await withServers({ instances: 2, ...patient }, async (server, other) => {
    const { admission, redis } = server;
    const key = newKey();
    expect(await admitted(other, key, 3)).toBe(3);
    const { set, admitKeys } = redis;
    const isReceived = Promise.withResolvers<void>();
    redis.admitKeys = async (...values) => {
      const answer = await admitKeys.apply(redis, values);
      await isReceived.promise;
      return answer;
    };
    const asked = [admission.admitKey(key), admission.usage(key)] as const;
    // Only this server loses Redis, for a moment: its answer still comes.
    redis.set = () => Promise.reject(new Error("lost"));
    redis.admitClients = () => Promise.reject(new Error("lost"));
    await admission.admitClient("192.0.2.1");
    expect(admission.state().isLocal).toBe(true);
    isReceived.resolve();
    const [decision] = await Promise.all(asked);
    expect(decision).toMatchObject({ admitted: true });
    // As when its answer is a 5xx. Redis is told of neither the charge nor the refund.
    await admission.refundKey(key, decision);
    Object.assign(redis, { set, admitKeys });
    await isBack(server);
    expect(await other.admission.usage(key)).toMatchObject({ used: 3 });
  });
});

test("unreachable for one server: it learns with each write what the other has charged in Redis", async () => {
  await using proxy = await openProxy(new URL(frail.url));
  const redis = openRedis([proxy.url]);
  await redis.connect();
  const usage = openUsage(database.sql);
  const alone = createAdmission(redis, { usage, instances: 2 });
  try {
    await withServers({ instances: 1, ...patient }, async (other) => {
      const key = newKey({ quota: 100 });
      await other.admission.usage(key);
      await proxy.cut();
      expect(await alone.admitKey(key)).toMatchObject({ admitted: true });
      expect(alone.state().isLocal).toBe(true);
      await usage.flush();
      // More than the share that is left to the other by the one that is cut off.
      expect(await admitted(other, key, 99)).toBe(99);
      await other.usage.flush();
      expect(await alone.admitKey(key)).toMatchObject({ admitted: true });
      await usage.flush();
      expect(await alone.admitKey(key)).toMatchObject({ admitted: false, used: 101 });
    });
  } finally {
    alone.stop();
    redis.disconnect();
  }
});

test("unreachable for one server: what another has refunded meanwhile stays refunded", async () => {
  await using proxy = await openProxy(new URL(frail.url));
  const redis = openRedis([proxy.url]);
  await redis.connect();
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  const alone = createAdmission(redis, { usage, instances: 2 });
  try {
    await withServers({ instances: 1, ...patient }, async (other) => {
      const key = newKey();
      const [first] = [await other.admission.admitKey(key), await other.admission.admitKey(key)];
      await other.usage.flush();
      await proxy.cut();
      expect(await alone.admitKey(key)).toMatchObject({ admitted: true, used: 3 });
      await other.admission.refundKey(key, first);
      // Redis is told of this one from what is known here.
      meanwhile = async () => {
        meanwhile = async () => {};
        await alone.admitKey(key);
      };
      await proxy.mend();
      await until(() => !alone.state().isLocal, 15_000);
      expect(await alone.usage(key)).toMatchObject({ used: 3 });
    });
  } finally {
    alone.stop();
    redis.disconnect();
  }
});

test("paused: a charge that is refunded while it is being written is not taken for one of another server", async () => {
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async ({ admission, ...server }) => {
    const key = newKey({ quota: 10 });
    frail.pause();
    const [first] = [await admission.admitKey(key), await admission.admitKey(key)];
    await delayedBy(
      database.sql,
      (holder) => holder`lock table usage in exclusive mode`,
      () => usage.flush(),
      { meanwhile: () => admission.refundKey(key, first) },
    );
    expect(await admission.usage(key)).toMatchObject({ used: 1 });
    // Redis is told of this one from what is known here.
    meanwhile = async () => {
      meanwhile = async () => {};
      await admission.admitKey(key);
    };
    frail.resume();
    await isBack({ admission, ...server });
    expect(await admission.usage(key)).toMatchObject({ used: 2 });
  });
});

test("killed again and again: a client gets its share of the window once, not once per outage", async () => {
  await withServers({ instances: 2 }, async (server) => {
    const counts: number[] = [];
    for (let outage = 0; outage < 3; outage++) {
      await frail.kill();
      const open = await Promise.all(
        Array.from({ length: 40 }, () => server.admission.admitClient("198.51.100.8")),
      );
      counts.push(open.filter((wait) => wait === 0).length);
      await frail.restart();
      await isBack(server);
    }
    expect(counts).toEqual([30, 0, 0]);
  });
});

test("paused: the answer comes within the deadline, and what Redis charged late is refunded", async () => {
  await withServers({ instances: 2 }, async (server) => {
    const key = newKey({ quota: 1_000, perMinute: 60, burst: 60 });
    // Redis knows the meter; otherwise it would charge nothing late.
    await server.admission.usage(key);
    frail.pause();
    const began = performance.now();
    // Redis will find 60 requests and room for all of them, of which half are let in here.
    expect(await admitted(server, key, 60)).toBe(30);
    expect(performance.now() - began).toBeLessThan(10_000);
    frail.resume();
    await isBack(server);
    expect((await server.admission.usage(key)).used).toBe(30);
  });
});

test("paused: neither a client nor a refund waits for longer than the deadline", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    const charge = await server.admission.admitKey(key);
    for (const ask of [
      () => server.admission.admitClient("198.51.100.11"),
      () => server.admission.refundKey(key, charge),
    ]) {
      frail.pause();
      const began = performance.now();
      await ask();
      expect(server.admission.state().isLocal).toBe(true);
      expect(performance.now() - began).toBeLessThan(10_000);
      // From then on nobody waits.
      expect(server.admission.admitClient("198.51.100.19")).toBe(0);
      frail.resume();
      await isBack(server);
    }
  });
});

test("paused: nor does a request for a key whose meter is just being seeded", async () => {
  let meanwhile = async () => frail.pause();
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const began = performance.now();
    expect(await server.admission.admitKey(newKey())).toMatchObject({ admitted: true, used: 1 });
    expect(server.admission.state().isLocal).toBe(true);
    expect(performance.now() - began).toBeLessThan(10_000);
    meanwhile = async () => {};
    frail.resume();
    await isBack(server);
  });
});

test("usage that still waits to be read when its caller has given up is never read", async () => {
  const [begun, waiting, later] = [newKey(), newKey(), newKey()];
  const isBack = Promise.withResolvers<void>();
  const read: string[] = [];
  const usage = openUsageWith(async (asked) => {
    read.push(...asked.map(({ meterId }) => meterId));
    await isBack.promise;
  });
  await withServers({ instances: 1, usage, ...patient }, async ({ admission }) => {
    const first = admission.admitKey(begun);
    await until(() => read.length > 0, 5_000);
    const late: unknown = await Promise.allSettled([first, admission.admitKey(waiting)]);
    const failed = { status: "rejected", reason: expect.any(AdmissionUnavailable) };
    expect(late).toEqual([failed, failed]);
    isBack.resolve();
    expect(await admission.admitKey(later)).toMatchObject({ admitted: true, used: 1 });
    expect(read).toEqual([begun.meterId, later.meterId]);
  });
});

test("paused: what Redis refunds late is not refunded twice", async () => {
  await withServers({ instances: 1 }, async (server) => {
    // So slow that no token is refilled meanwhile.
    const key = newKey({ perMinute: 1, burst: 10 });
    const charge = await server.admission.admitKey(key);
    expect(await admitted(server, key, 2)).toBe(2);
    frail.pause();
    await server.admission.refundKey(key, charge);
    expect(server.admission.state().isLocal).toBe(true);
    frail.resume();
    await isBack(server);
    expect(await server.admission.usage(key)).toMatchObject({ used: 2, tokensLeft: 8 });
  });
});

test("paused: a read of the usage that Redis answers late refunds nothing", async () => {
  await withServers({ instances: 2 }, async (server, other) => {
    const key = newKey();
    expect(await admitted(other, key, 3)).toBe(3);
    frail.pause();
    await server.admission.usage(key);
    expect(server.admission.state().isLocal).toBe(true);
    frail.resume();
    await isBack(server);
    expect((await server.admission.usage(key)).used).toBe(3);
  });
});

test("paused: a request that Redis refuses late refunds nothing", async () => {
  await withServers({ instances: 1 }, async (server) => {
    // So slow that no token is refilled meanwhile.
    const key = newKey({ perMinute: 1, burst: 1 });
    expect(await admitted(server, key, 1)).toBe(1);
    frail.pause();
    expect(await admitted(server, key, 1)).toBe(0);
    expect(server.admission.state().isLocal).toBe(true);
    frail.resume();
    await isBack(server);
    expect(await server.admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 0 });
  });
});

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
  let ended = Promise.withResolvers<void>();
  let recoveries = 0;
  const outage = watchOutages(redis, {
    onBegin() {},
    async recover() {
      recoveries++;
      // By the next probe all that failed is known.
      if (recoveries === 1) throw new Error("PostgreSQL is away");
    },
    onEnd: () => ended.resolve(),
  });
  try {
    let before = await probesSent();
    for (let client = 0; client < 100; client++) {
      outage.begin(new Error("no answer"), `client ${client}`);
    }
    await ended.promise;
    expect(await probesSent()).toBe(before + 1 + 32);

    before = await probesSent();
    ended = Promise.withResolvers<void>();
    outage.begin(new Error("no answer"), "another client");
    await ended.promise;
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

test("full: a Redis that refuses to write does not decide until it has room", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await admitted(server, key, 10);
    await frail.call("CONFIG", "SET", "maxmemory", "1mb");
    expect(await admitted(server, key, 10)).toBe(10);
    expect(server.admission.state().isLocal).toBe(true);
    await frail.call("CONFIG", "SET", "maxmemory", "0");
    await isBack(server);
    expect(await admitted(server, key, 100)).toBe(80);
  });
});

test("cut: a lost connection is a momentary outage, and fails no request", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await admitted(server, key, 10);
    await frail.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await admitted(server, key, 10)).toBe(10);
    await isBack(server);
    expect(await admitted(server, key, 100)).toBe(80);
  });
});

test("the log says why Redis is away: how the connection was lost, not that there is none", async () => {
  const proxy = await openProxy(new URL(frail.url));
  const lines: { level: number; msg: string; err?: { message: string; stack?: string } }[] = [];
  const write = (text: string) => void lines.push(JSON.parse(text));
  const log = pino({ level: "debug" }, { write });
  const server = await startTestServer({ redisUrls: [proxy.url] }, { log });
  const ask = () => fetch(`${server.url}/api/v1/businesses`);
  const linesFrom = (least: number) =>
    lines
      .filter(({ level, msg }) => level >= least && msg.includes("Redis"))
      .map(({ msg, err }) => [msg, err?.message]);
  const told = () => linesFrom(pino.levels.values.info as number);
  const AWAY = "Redis is down or slow: this server decides by itself";
  const refused = expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  try {
    // A request comes before the first attempt to reconnect.
    await proxy.cut();
    while (told().length < 1) expect((await ask()).status).toBe(200);
    const isExplained = () => told().some(([, why]) => why?.includes("ECONN"));
    await until(isExplained, 5_000);
    const fails = () => linesFrom(0).filter(([msg]) => msg === "Redis").length;
    const failed = fails();
    await until(() => fails() > failed + 1, 5_000);
    expect(told().length).toBeLessThanOrEqual(2);
    await proxy.mend();
    const isBack = () => told().at(-1)?.[0] === "Redis decides again";
    await until(isBack, 5_000);

    // No request comes before it.
    const before = told().length;
    await proxy.cut();
    const after = fails();
    await until(() => fails() > after, 5_000);
    expect((await ask()).status).toBe(200);
    expect(told().slice(before)).toEqual([[AWAY, refused]]);
    const { error } = pino.levels.values;
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

test("a refund during an outage of Redis returns what was charged", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ quota: 3 });
    const charge = await server.admission.admitKey(key);
    await frail.kill();
    await server.admission.refundKey(key, charge);
    await server.usage.flush();
    expect(await stored(key)).toBe(0);
    expect(await admitted(server, key, 5)).toBe(3);
    const slow = newKey({ perMinute: 1, burst: 2 });
    await server.admission.refundKey(slow, await server.admission.admitKey(slow));
    expect(await admitted(server, slow, 5)).toBe(2);
    await frail.restart();
    await isBack(server);
  });
});

test("a refund that does not reach Redis is made up for once it is back", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, redis } = server;
    const key = newKey({ perMinute: 1, burst: 100 });
    const charge = () => admission.admitKey(key);
    const pause = async () => {
      frail.pause();
      await admission.admitClient("198.51.100.12");
    };
    const resume = async () => {
      frail.resume();
      await isBack(server);
    };
    // Charged by Redis, and by this process in an outage that is over: Redis has been told of it.
    const charges = [await charge(), await charge()];
    await pause();
    charges.push(await charge());
    await resume();
    expect(await admission.usage(key)).toMatchObject({ used: 3, tokensLeft: 97 });
    await pause();
    const local = await charge();
    for (const each of charges) await admission.refundKey(key, each);
    // Redis never hears of this one.
    await admission.refundKey(key, await charge());
    await resume();
    expect(await admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 99 });

    const last = await charge();
    redis.disconnect(true);
    for (const each of [last, local]) await admission.refundKey(key, each);
    await isBack(server);
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 0, tokensLeft: 100 });
    await server.usage.flush();
    expect(await stored(key)).toBe(0);
  });
});

test("a refund made while Redis is told what it missed is not lost, nor what is owed when that fails", async () => {
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const { admission } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    const [first, second] = [await admission.admitKey(key), await admission.admitKey(key)];
    frail.pause();
    await admission.admitClient("198.51.100.13");
    await admission.refundKey(key, first);
    let tries = 0;
    meanwhile = async () => {
      tries += 1;
      if (tries === 1) throw new Error("PostgreSQL is away");
      if (tries === 2) await admission.refundKey(key, second);
    };
    frail.resume();
    await isBack(server);
    // What is still owed then is refunded right after.
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 0, tokensLeft: 10 });
  });
});

test("a refund that is still owed when Redis takes over is made in PostgreSQL first", async () => {
  let meanwhile = async () => {};
  const isWritable = Promise.withResolvers<void>();
  const usage = openUsageWith(() => meanwhile());
  const refund: DurableUsage["refund"] = async (...charge) => {
    await isWritable.promise;
    await usage.refund(...charge);
  };
  await withServers({ instances: 1, usage: { ...usage, refund } }, async (server) => {
    const { admission } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    frail.pause();
    await admission.admitClient("198.51.100.17");
    const charge = await admission.admitKey(key);
    meanwhile = async () => {
      meanwhile = async () => {};
      await admission.refundKey(key, charge);
    };
    frail.resume();
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(1);
    isWritable.resolve();
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
  });
});

/** Usage whose refunds PostgreSQL has, which nobody hears of until `isWritten` resolves. */
function openUsageHearing(isWritten: Promise<void>, usage: DurableUsage = openUsage(database.sql)) {
  const refund: DurableUsage["refund"] = async (...charge) => {
    await usage.refund(...charge);
    await isWritten;
  };
  return { ...usage, refund };
}

test("a refund that Redis is sent only after an outage does not cancel what was charged in that outage", async () => {
  const isWritten = Promise.withResolvers<void>();
  const usage = openUsageHearing(isWritten.promise);
  await withServers({ instances: 1, usage }, async (server) => {
    const { admission } = server;
    const key = newKey();
    const charge = await admission.admitKey(key);
    await usage.flush();
    const refund = admission.refundKey(key, charge);
    frail.pause();
    await admission.admitClient("198.51.100.19");
    await admission.admitKey(key);
    await refund;
    frail.resume();
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(2);
    isWritten.resolve();
    await until(async () => (await admission.usage(key)).used < 2, 5_000);
    expect((await admission.usage(key)).used).toBe(1);
  });
});

test("a refund of what was charged while Redis was told of the rest does not cancel another charge", async () => {
  let meanwhile = async () => {};
  const isWritten = Promise.withResolvers<void>();
  const usage = openUsageHearing(
    isWritten.promise,
    openUsageWith(() => meanwhile()),
  );
  await withServers({ instances: 1, usage }, async (server) => {
    const { admission } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    frail.pause();
    await admission.admitKey(key);
    meanwhile = async () => {
      meanwhile = async () => {};
      const [charge] = [await admission.admitKey(key), await admission.admitKey(key)];
      await admission.refundKey(key, charge);
    };
    frail.resume();
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(3);
    isWritten.resolve();
    await until(async () => (await admission.usage(key)).used < 3, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 2, tokensLeft: 8 });
  });
});

test("a refund in the moment in which Redis decides again stays", async () => {
  let meanwhile = async () => {};
  let onBack = () => {};
  const usage = openUsageWith(() => meanwhile());
  const onChange = (isLocal: boolean) => isLocal || onBack();
  await withServers({ instances: 1, usage, onChange }, async (server) => {
    const { admission } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    frail.pause();
    await admission.admitKey(key);
    // Redis is told of this one when it decides again.
    meanwhile = async () => {
      meanwhile = async () => {};
      const charge = await admission.admitKey(key);
      onBack = () => admission.refundKey(key, charge);
    };
    frail.resume();
    await isBack(server);
    await until(async () => (await admission.usage(key)).used < 2, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 9 });
  });
});

test("Redis is told of many keys in one call after the other: all at once, their answers would be late", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, redis } = server;
    const seedMeters = redis.seedMeters.bind(redis);
    let unanswered = 0;
    let most = 0;
    redis.seedMeters = async (...values) => {
      most = Math.max(most, ++unanswered);
      return await seedMeters(...values).finally(() => unanswered--);
    };
    const keys = Array.from({ length: 600 }, () => newKey());
    frail.pause();
    await admission.admitClient("198.51.100.15");
    await Promise.all(keys.map((key) => admission.admitKey(key)));
    frail.resume();
    await isBack(server);
    const readings = await Promise.all(keys.map((key) => admission.usage(key)));
    expect(readings.filter(({ used }) => used === 1).length).toBe(600);
    expect(most).toBe(1);
  });
});

test("what is charged, or refunded, while Redis is told of many other keys is not lost, nor waited for without end", async () => {
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const { admission } = server;
    const [charged, refunded] = [1, 2].map(() => newKey({ perMinute: 1, burst: 10 })) as [
      ApiKey,
      ApiKey,
    ];
    const others = Array.from({ length: 598 }, () => newKey({ quota: 1_000_000 }));
    frail.pause();
    await admission.admitClient("198.51.100.16");
    await Promise.all(others.map((key) => admission.admitKey(key)));
    const charge = await admission.admitKey(refunded);
    await admission.admitKey(charged);
    let calls = 0;
    meanwhile = async () => {
      await Promise.all(others.slice(300).map((key) => admission.admitKey(key)));
      // At first all 600 are told in three calls, then these in two.
      if (++calls !== 5) return;
      await admitted(server, charged, 3);
      await admission.refundKey(refunded, charge);
    };
    frail.resume();
    await isBack(server);
    expect(await admission.usage(refunded)).toMatchObject({ used: 0, tokensLeft: 10 });
    expect(await admission.usage(charged)).toMatchObject({ used: 4, tokensLeft: 6 });
  });
});

test("a refund to a Redis that has lost the charge does not cancel another charge", async () => {
  let meanwhile = async () => {};
  const usage = openUsageWith(() => meanwhile());
  await withServers({ instances: 1, usage }, async (server) => {
    const { admission, redis } = server;
    const key = newKey();
    await admission.admitKey(key);
    const old = (await redis.getBuffer(meterName(key.meterId))) as Buffer;
    const charge = await admission.admitKey(key);
    await admission.admitKey(key);
    frail.pause();
    await admission.admitClient("198.51.100.14");
    await admission.refundKey(key, charge);
    // It comes back as from an old file.
    meanwhile = async () => {
      await redis.set(meterName(key.meterId), old);
    };
    frail.resume();
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(2);
  });
});

test("what a server has charged and refunded locally changes nothing in Redis, which others have charged", async () => {
  await withServers({ instances: 2 }, async (server, other) => {
    const { admission, usage } = server;
    const { flush, totals } = usage;
    const key = newKey();
    expect(await admitted(other, key, 3)).toBe(3);
    frail.pause();
    const charge = () => admission.admitKey(key);
    const [first, second] = [await charge(), await charge()];
    await admission.refundKey(key, first);
    let tries = 0;
    const fail = async () => {
      tries += 1;
      throw new Error("PostgreSQL is away");
    };
    Object.assign(usage, { flush: fail, totals: fail });
    frail.resume();
    await until(() => tries > 1, 15_000);
    await admission.refundKey(key, second);
    // It goes away again before Redis can be told.
    usage.flush = flush;
    tries = 0;
    await until(() => tries > 0, 15_000);
    await admission.refundKey(key, await charge());
    usage.totals = totals;
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(3);
  });
});

test("a refund during an outage stays, also if Redis was just being brought up to what was written", async () => {
  await withServers({ instances: 1, ...patient }, async (server) => {
    const { admission, usage, redis } = server;
    const { flush, hold } = usage;
    const key = newKey();
    await admission.admitKey(key);
    const old = (await redis.getBuffer(meterName(key.meterId))) as Buffer;
    await admitted(server, key, 2);
    await flush();
    // It comes back as from an old file.
    await redis.set(meterName(key.meterId), old);
    await admission.admitKey(key);
    const raised = Promise.withResolvers<Decision>();
    usage.hold = async (...held) => {
      usage.flush = async () => {
        throw new Error("PostgreSQL is away");
      };
      redis.disconnect(true);
      await admission.admitClient("198.51.100.18");
      await until(() => succeeds(redis.ping()), 10_000);
      const charge = await admission.admitKey(key);
      await flush();
      await hold(...held);
      raised.resolve(charge);
      // Nor does any failure matter.
      throw new Error("PostgreSQL is away");
    };
    await flush();
    await admission.refundKey(key, await raised.promise);
    usage.flush = flush;
    await isBack(server);
    expect((await admission.usage(key)).used).toBe(4);
  });
});

test("a refund neither fails nor takes long when PostgreSQL is away or slow", async () => {
  await withServers({ instances: 1, ...patient }, async ({ admission, usage }) => {
    const key = newKey();
    const [one, other] = [await admission.admitKey(key), await admission.admitKey(key)];
    await usage.flush();
    const began = performance.now();
    await database.sql`alter table usage rename to usage_gone`;
    await admission.refundKey(key, one);
    await database.sql`alter table usage_gone rename to usage`;
    await database.sql.begin(async (holder) => {
      await holder`lock table usage in access exclusive mode`;
      await admission.refundKey(key, other);
    });
    expect(performance.now() - began).toBeLessThan(4_000);
    await usage.flush();
    expect([(await admission.usage(key)).used, await stored(key)]).toEqual([0, 0]);
  });
});

test("a key is refused as unavailable while PostgreSQL cannot tell its usage, which is no outage of Redis", async () => {
  await withServers({ instances: 1, ...patient }, async ({ admission, changes }) => {
    const key = newKey();
    await database.sql`alter table usage rename to usage_gone`;
    await expect(admission.admitKey(key)).rejects.toThrow(AdmissionUnavailable);
    await database.sql`alter table usage_gone rename to usage`;
    await database.sql.begin(async (holder) => {
      await holder`lock table usage in access exclusive mode`;
      const askedAt = performance.now();
      await expect(admission.admitKey(key)).rejects.toThrow(AdmissionUnavailable);
      expect(performance.now() - askedAt).toBeLessThan(10_000);
    });
    expect(changes).toEqual([]);
    expect(await admission.admitKey(key)).toMatchObject({ admitted: true, used: 1 });
  });
});

test("after a graceful restart of server and Redis not one request more is admitted", async () => {
  const config = loadConfig({
    PORT: "0",
    DATABASE_URL: database.url,
    REDIS_URL: frail.url,
    MEILI_URL: stores().meiliUrl,
    MEILI_KEY: stores().meiliKey,
  });
  const owner = { name: "Ann", email: "ann@shop.example", tier: "enterprise" };
  const limits = { quota: 50, perMinute: 60_000, burst: 60_000 };
  const { key } = await createKey(database.sql, { ...owner, ...limits });
  const { meili, index } = uniqueIndex();
  const admittedBy = async (url: string, requests: number) => {
    const headers = { Authorization: `Bearer ${key}` };
    const send = async () => (await fetch(`${url}/api/v1/businesses`, { headers })).status;
    const statuses = await Promise.all(Array.from({ length: requests }, send));
    return statuses.filter((status) => status === 200).length;
  };

  const before = await start(config, { searchIndex: index, log: silent });
  expect(await admittedBy(before.url, 30)).toBe(30);
  await before.stop();
  await frail.kill();
  await frail.restart();
  const after = await start(config, { searchIndex: index, log: silent });
  expect(await admittedBy(after.url, 100)).toBe(20);
  await after.stop();
  await meili.deleteIndexIfExists(index);
});
