import { expect } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { createKey } from "../../src/access/keys.ts";
import { loadConfig } from "../../src/config.ts";
import { start } from "../../src/main.ts";
import { patient, silent, stores, testInOneMonth as test, uniqueIndex } from "../support.ts";
import { admitted, newKey, startFrailStores } from "./frail-stores.ts";

const { database, frail, withServers } = await startFrailStores();

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
