import { expect } from "bun:test";
import { testInOneMonth as test } from "../support.ts";
import { admitted, atNextRead, newKey, startFrailStores, untilBack } from "./frail-stores.ts";

// What Redis is told when it comes back, and what is known then of the time without it.

const { beginOutage, frail, withServers } = await startFrailStores();

test("killed again: usage still being looked up when Redis came back is not used in the next outage", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ quota: 10 });
    const lookedUp = Promise.withResolvers<void>();
    await beginOutage(server);
    atNextRead(server.usage, () => lookedUp.promise);
    const asked = server.admission.admitKey(key);
    frail.resume();
    await untilBack(server);
    lookedUp.resolve();
    expect(await asked).toMatchObject({ admitted: true, used: 1 });
    expect(await admitted(server, key, 9)).toBe(9);
    await frail.kill();
    expect(await admitted(server, key, 5)).toBe(0);
    await frail.restart();
    await untilBack(server);
  });
});

test("paused: what was still being looked up when Redis came back is charged there", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ quota: 10 });
    const lookedUp = Promise.withResolvers<void>();
    await server.admission.usage(key);
    await beginOutage(server);
    atNextRead(server.usage, () => lookedUp.promise);
    const asked = server.admission.admitKey(key);
    frail.resume();
    await untilBack(server);
    lookedUp.resolve();
    expect(await asked).toMatchObject({ admitted: true });
    expect(await admitted(server, key, 20)).toBe(9);
  });
});

test("paused: what was charged here while Redis was told of the rest is known when it decides again", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const key = newKey({ quota: 10 });
    frail.pause();
    expect(await admitted(server, key, 3)).toBe(3);
    atNextRead(server.usage, async () => {
      expect(await admitted(server, key, 2)).toBe(2);
    });
    frail.resume();
    await untilBack(server);
    expect(await admitted(server, key, 20)).toBe(5);
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
    await beginOutage(server);
    await Promise.all(keys.map((key) => admission.admitKey(key)));
    frail.resume();
    await untilBack(server);
    const readings = await Promise.all(keys.map((key) => admission.usage(key)));
    expect(readings.filter(({ used }) => used === 1).length).toBe(600);
    expect(most).toBe(1);
  });
});

test("what is charged, or refunded, while Redis is told of many other keys is not lost, nor waited for without end", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
    const slow = { perMinute: 1, burst: 10 };
    const [charged, refunded] = [newKey(slow), newKey(slow)];
    const others = Array.from({ length: 598 }, () => newKey({ quota: 1_000_000 }));
    await beginOutage(server);
    await Promise.all(others.map((key) => admission.admitKey(key)));
    const charge = await admission.admitKey(refunded);
    await admission.admitKey(charged);
    const { totals } = usage;
    let reads = 0;
    usage.totals = async (...asked) => {
      const used = await totals(...asked);
      await Promise.all(others.slice(300).map((key) => admission.admitKey(key)));
      reads += 1;
      // At first all 600 are told in three calls, then these in two.
      if (reads === 5) {
        await admitted(server, charged, 3);
        await admission.refundKey(refunded, charge);
      }
      return used;
    };
    frail.resume();
    await untilBack(server);
    expect(await admission.usage(refunded)).toMatchObject({ used: 0, tokensLeft: 10 });
    expect(await admission.usage(charged)).toMatchObject({ used: 4, tokensLeft: 6 });
  });
});
