import { expect } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { AdmissionUnavailable } from "../../src/access/decisions.ts";
import { patient, testInOneMonth as test } from "../support.ts";
import { admitted, atNextRead, newKey, startFrailStores, untilBack } from "./frail-stores.ts";

// Answers of Redis and PostgreSQL that come later than a request waits for them.

const { database, frail, withServers } = await startFrailStores();

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
    await untilBack(server);
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
      await untilBack(server);
    }
  });
});

test("paused: nor does a request for a key whose meter is just being seeded", async () => {
  await withServers({ instances: 1 }, async (server) => {
    atNextRead(server.usage, frail.pause);
    const began = performance.now();
    expect(await server.admission.admitKey(newKey())).toMatchObject({ admitted: true, used: 1 });
    expect(server.admission.state().isLocal).toBe(true);
    expect(performance.now() - began).toBeLessThan(10_000);
    frail.resume();
    await untilBack(server);
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
    await untilBack(server);
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
    await untilBack(server);
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
    await untilBack(server);
    expect(await server.admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 0 });
  });
});

test("usage that still waits to be read when its caller has given up is never read", async () => {
  await withServers({ instances: 1, ...patient }, async ({ admission, usage }) => {
    const [begun, waiting, later] = [newKey(), newKey(), newKey()];
    const answered = Promise.withResolvers<void>();
    const read: string[] = [];
    const { totals } = usage;
    usage.totals = async (asked, besides) => {
      const used = await totals(asked, besides);
      read.push(...asked.map(({ meterId }) => meterId));
      await answered.promise;
      return used;
    };
    const first = admission.admitKey(begun);
    await until(() => read.length > 0, 5_000);
    const late: unknown = await Promise.allSettled([first, admission.admitKey(waiting)]);
    const failed = { status: "rejected", reason: expect.any(AdmissionUnavailable) };
    expect(late).toEqual([failed, failed]);
    answered.resolve();
    expect(await admission.admitKey(later)).toMatchObject({ admitted: true, used: 1 });
    expect(read).toEqual([begun.meterId, later.meterId]);
  });
});

test("a key is refused as unavailable while PostgreSQL cannot tell its usage, which is no outage of Redis", async () => {
  const changes: boolean[] = [];
  const onChange = (isLocal: boolean) => changes.push(isLocal);
  await withServers({ instances: 1, ...patient, onChange }, async ({ admission }) => {
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
