import { expect } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../scripts/stack/waiting.ts";
import { openProxy } from "../proxy.ts";
import { patient, testInOneMonth as test } from "../support.ts";
import { admitted, newKey, startFrailStores, untilBack } from "./frail-stores.ts";

// What servers decide by themselves while Redis is away.

const { database, frail, stored, withServers } = await startFrailStores();

test("killed: the server decides locally, never beyond the quota, and Redis takes over again", async () => {
  const changes: boolean[] = [];
  const onChange = (isLocal: boolean) => changes.push(isLocal);
  await withServers({ instances: 1, onChange }, async (server) => {
    const key = newKey();
    expect(await admitted(server, key, 40)).toBe(40);
    await frail.kill();
    expect(await admitted(server, key, 30)).toBe(30);
    expect(server.admission.state()).toEqual({ isLocal: true, outages: 1 });
    await frail.restart();
    await untilBack(server);
    expect(await admitted(server, key, 100)).toBe(30);
    expect(changes).toEqual([true, false]);
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
    await Promise.all([untilBack(one), untilBack(other)]);
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
    await untilBack(server);
    expect(await admitted(server, key, 8)).toBe(0);
  });
});

test("killed again: what Redis admitted since the last outage counts", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await frail.kill();
    expect(await admitted(server, key, 10)).toBe(10);
    await frail.restart();
    await untilBack(server);
    expect(await admitted(server, key, 80)).toBe(80);
    await frail.kill();
    expect(await admitted(server, key, 30)).toBe(10);
    await frail.restart();
    await untilBack(server);
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
    await untilBack(server);
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
    await untilBack(server);
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
    await untilBack(server);
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
    await untilBack(server);
    expect(await other.admission.usage(key)).toMatchObject({ used: 3 });
  });
});

test("unreachable for one server: it learns with each write what the other has charged in Redis", async () => {
  await using proxy = await openProxy(new URL(frail.url));
  await withServers({ instances: 2, redisUrl: proxy.url }, async ({ admission, usage }) => {
    await withServers({ instances: 1, ...patient }, async (other) => {
      const key = newKey({ quota: 100 });
      await other.admission.usage(key);
      await proxy.cut();
      expect(await admission.admitKey(key)).toMatchObject({ admitted: true });
      expect(admission.state().isLocal).toBe(true);
      await usage.flush();
      // More than the share that is left to the other by the one that is cut off.
      expect(await admitted(other, key, 99)).toBe(99);
      await other.usage.flush();
      expect(await admission.admitKey(key)).toMatchObject({ admitted: true });
      await usage.flush();
      expect(await admission.admitKey(key)).toMatchObject({ admitted: false, used: 101 });
    });
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
      await untilBack(server);
    }
    expect(counts).toEqual([30, 0, 0]);
  });
});

test("full: a Redis that refuses to write does not decide until it has room", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await admitted(server, key, 10);
    await frail.call("CONFIG", "SET", "maxmemory", "1mb");
    expect(await admitted(server, key, 10)).toBe(10);
    expect(server.admission.state().isLocal).toBe(true);
    await frail.call("CONFIG", "SET", "maxmemory", "0");
    await untilBack(server);
    expect(await admitted(server, key, 100)).toBe(80);
  });
});

test("cut: a lost connection is a momentary outage, and fails no request", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey();
    await admitted(server, key, 10);
    await frail.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await admitted(server, key, 10)).toBe(10);
    await untilBack(server);
    expect(await admitted(server, key, 100)).toBe(80);
  });
});
