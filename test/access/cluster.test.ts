import { afterAll, expect, test } from "bun:test";
import { Cluster } from "ioredis";
import { startFrailCluster, startFrailRedis } from "../../scripts/bench/redis.ts";
import { beginMove, masterOf, moveSlotOf } from "../../scripts/bench/reshard.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { type AdmissionOptions, createAdmission } from "../../src/access/admission.ts";
import type { ApiKey } from "../../src/access/keys.ts";
import { createMeters, meterName } from "../../src/access/meters.ts";
import { flushRegularly, openUsage } from "../../src/access/usage.ts";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { makeKey } from "../fixtures.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, newFolder, patient, silent } from "../support.ts";

// A Redis Cluster of three masters and three replicas, and two servers.

const supervisor = new Supervisor(await newFolder());
const [database, nodes] = await Promise.all([createDatabase(), startFrailCluster(supervisor)]);
const servers = await Promise.all([startServer(), startServer()]);
afterAll(async () => {
  for (const server of servers) await server.stop();
  await supervisor.stop();
  await database.drop();
});

/** On a busy machine a node may take longer to list the slots than a client waits: then another one tries. */
async function openConnected(urls: string[]) {
  let redis = openRedis(urls);
  await until(async () => {
    if (await succeeds(connectRedis(redis))) return true;
    redis.disconnect();
    redis = openRedis(urls);
    return false;
  }, 20_000);
  return redis;
}

async function startServer(options: Partial<AdmissionOptions> = {}) {
  const redis = await openConnected(nodes.map(({ url }) => url));
  const usage = openUsage(database.sql);
  const writer = flushRegularly(usage, silent);
  const admission = createAdmission(redis, { usage, instances: 2, ...options });
  return {
    admission,
    async stop() {
      admission.stop();
      await writer.stop();
      redis.disconnect();
    },
  };
}

/** How many of so many concurrent requests, spread over both servers, are admitted. */
async function admitted(key: ApiKey, requests: number, by = servers): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, (_, request) =>
      by[request % by.length]?.admission.admitKey(key),
    ),
  );
  return decisions.filter((decision) => decision?.admitted).length;
}

const outages = (of = servers) => of.map(({ admission }) => admission.state().outages);
const decidesAgain = (of = servers) =>
  until(() => of.every(({ admission }) => !admission.state().isLocal), 20_000);

test("of 200 concurrent requests for each of 30 keys and 3 clients, on all masters, exactly 60 are admitted for each", async () => {
  const both = await Promise.all([startServer(patient), startServer(patient)]);
  const keys = Array.from({ length: 30 }, () => makeKey());
  const counts = await Promise.all(keys.map((key) => admitted(key, 200, both)));
  expect(counts).toEqual(keys.map(() => 60));
  const clients = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];
  const open = await Promise.all(
    Array.from({ length: 600 }, async (_, request) => {
      const client = clients[request % 3] as string;
      const wait = await both[request % 2]?.admission.admitClient(client);
      return wait === 0 ? client : "nobody";
    }),
  );
  expect(clients.map((client) => open.filter((name) => name === client).length)).toEqual([
    60, 60, 60,
  ]);
  expect(outages(both)).toEqual([0, 0]);
  for (const server of both) await server.stop();
});

test("a node that only the cluster names is sent the same user and password as those of REDIS_URL", async () => {
  const [user, password] = ["a/user", "p@ss, word"];
  for (const node of nodes) {
    await node.call("ACL", "SETUSER", user, "on", `>${password}`, "~*", "+@all");
  }
  const login = [user, password].map(encodeURIComponent).join(":");
  const urls = nodes.slice(0, 2).map(({ url }) => url.replace("//", `//${login}@`));
  const redis = await openConnected(urls);
  if (!(redis instanceof Cluster)) throw new Error("several addresses are no cluster");
  const masters = redis.nodes("master");
  expect(masters.length).toBe(3);
  expect(await Promise.all(masters.map((master) => master.call("ACL", "WHOAMI")))).toEqual(
    masters.map(() => user),
  );
  redis.disconnect();
});

test("while the slot of a key moves to another master, exactly its quota is admitted", async () => {
  const both = await Promise.all([startServer(patient), startServer(patient)]);
  const key = makeKey({ quota: 600, perMinute: 60_000, burst: 60_000 });
  const name = meterName(key.meterId);
  let count = await admitted(key, 20, both);
  const before = await masterOf(nodes, name);
  let isMoved = false;
  const moved = moveSlotOf(nodes, name).then(() => {
    isMoved = true;
  });
  while (!isMoved && count < 500) count += await admitted(key, 10, both);
  await moved;
  expect(await masterOf(nodes, name)).not.toBe(before);
  await decidesAgain(both);
  count += await admitted(key, 700, both);
  expect(count).toBe(600);
  for (const server of both) await server.stop();
});

test("when a master is killed its replica takes over; no key gets more than its quota and a second's worth", async () => {
  const key = makeKey({ quota: 1_000, perMinute: 12_000, burst: 200 });
  const name = meterName(key.meterId);
  let count = await admitted(key, 100);
  const before = await masterOf(nodes, name);
  await before?.kill();
  const others = nodes.filter((node) => node !== before);
  await until(async () => {
    count += await admitted(key, 10);
    return (
      (await masterOf(others, name)) !== before &&
      servers.every(({ admission }) => !admission.state().isLocal)
    );
  }, 20_000);
  expect(outages().every((outages) => outages > 0)).toBe(true);
  await until(async () => {
    const more = await admitted(key, 100);
    count += more;
    const { used } = (await servers[0]?.admission.usage(key)) ?? { used: 0 };
    return used >= key.quota;
  }, 20_000);
  expect(count).toBeWithin(key.quota - 200, key.quota + key.perMinute / 60 + 1);
}, 45_000);

test("a slot that is migrating to a dead master causes an outage, and crashes no server", async () => {
  const areAlive = await Promise.all(nodes.map((node) => succeeds(node.call("PING"))));
  const alive = nodes.filter((_, index) => areAlive[index]);
  const client = "203.0.113.11";
  const name = `admissions:{${client}}`;
  const slot = String(await alive[0]?.call("CLUSTER", "KEYSLOT", name));
  const source = await masterOf(alive, name);
  const target = await masterOf(alive, "standing:{other}");
  expect(target).not.toBe(source);
  await decidesAgain();
  const before = outages();
  if (!source || !target) throw new Error("There is no master to move the slot from, or to");
  await beginMove(slot, source, target);
  await target.kill();
  for (const { admission } of servers) {
    expect(await admission.admitClient(client)).toBe(0);
  }
  expect(outages()).toEqual(before.map((count) => count + 1));
  await source.call("CLUSTER", "SETSLOT", slot, "STABLE");
  await decidesAgain();
}, 45_000);

test("a decision whose reply was lost is not retried", async () => {
  const proxy = await openProxy(new URL("redis://127.0.0.1:1"));
  const node = await startFrailRedis(supervisor, {
    "cluster-enabled": "yes",
    "cluster-announce-ip": "127.0.0.1",
    "cluster-announce-port": new URL(proxy.url).port,
  });
  proxy.lead(new URL(node.url));
  await node.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  await until(
    async () => String(await node.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
    10_000,
  );
  const redis = await openConnected([proxy.url, proxy.url]);
  const meters = createMeters(redis, patient);
  await meters.admitClient("203.0.113.10");
  proxy.loseAnswer();
  const lost = await meters.admitClient("203.0.113.10").catch((error) => error);
  expect(lost).toBeInstanceOf(Error);
  await until(() => succeeds(meters.admitClient("203.0.113.10")), 5_000);
  // Eight bytes for each.
  expect(await node.call("STRLEN", "admissions:{203.0.113.10}")).toBe(3 * 8);
  redis.disconnect();
  await proxy.close();
});
