import { afterAll, expect } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { createAdmission } from "../../src/access/admission.ts";
import { createKeyring } from "../../src/access/keyring.ts";
import { type ApiKey, createKey } from "../../src/access/keys.ts";
import { meterName } from "../../src/access/meters.ts";
import { type DurableUsage, openUsage } from "../../src/access/usage.ts";
import { admitKey } from "../../src/middleware/admitKey.ts";
import { openRedis } from "../../src/store/redis.ts";
import { makeKey } from "../fixtures.ts";
import {
  createContext,
  createDatabase,
  freshRedis,
  patient,
  testInOneMonth as test,
} from "../support.ts";

const [database, redis] = await Promise.all([createDatabase(), freshRedis()]);
afterAll(async () => {
  redis.client.disconnect();
  await database.drop();
});

async function startServer(usage: DurableUsage = openUsage(database.sql)) {
  const client = openRedis([redis.url]);
  await client.connect();
  const admission = createAdmission(client, { usage, instances: 2, ...patient });
  return { usage, admission, stop: () => client.disconnect() };
}

const newKey = () => makeKey({ perMinute: 60_000, burst: 60_000 });

/** What a key has used as far as PostgreSQL knows. */
async function written({ meterId }: ApiKey) {
  const [row] = await database.sql`select used::integer from usage where meter_id = ${meterId}`;
  return row?.used;
}

test("one flush writes charges and refunds, and adds to what others wrote", async () => {
  const key = newKey();
  const [one, other] = await Promise.all([startServer(), startServer()]);
  for (let request = 0; request < 5; request++) await one.admission.admitKey(key);
  for (let request = 0; request < 3; request++) await other.admission.admitKey(key);
  const charge = await one.admission.admitKey(key);
  await one.usage.flush();
  await one.admission.refundKey(key, charge);
  await Promise.all([one.usage.flush(), other.usage.flush()]);
  expect(await written(key)).toBe(8);
  await one.usage.flush();
  expect(await written(key)).toBe(8);
  one.stop();
  other.stop();
});

test("a refund stays when another server writes what it has counted", async () => {
  const key = newKey();
  const [one, other] = await Promise.all([startServer(), startServer()]);
  const charged = await Promise.all(Array.from({ length: 40 }, () => one.admission.admitKey(key)));
  await one.usage.flush();
  await Promise.all(charged.map((admitted) => one.admission.refundKey(key, admitted)));
  await other.admission.admitKey(key);
  await other.usage.flush();
  const used = async () => (await one.admission.usage(key)).used;
  expect(await used()).toBe(1);
  await one.usage.flush();
  await until(async () => (await written(key)) === 1, 5_000);
  expect(await used()).toBe(1);
  one.stop();
  other.stop();
});

test("a refund stays that is made before another server hears what its earlier write has come to", async () => {
  const key = newKey();
  const usage = openUsage(database.sql);
  let hear: () => void = () => {};
  const [one, other] = await Promise.all([
    startServer(),
    startServer({
      ...usage,
      onWritten: (listener) =>
        usage.onWritten((...written) => {
          hear = () => listener(...written);
        }),
    }),
  ]);
  await other.admission.admitKey(key);
  const charged = await one.admission.admitKey(key);
  await one.usage.flush();
  await other.usage.flush();
  await one.admission.refundKey(key, charged);
  hear();
  await Bun.sleep(300);
  expect((await one.admission.usage(key)).used).toBe(1);
  one.stop();
  other.stop();
});

test("a refund that Redis is sent only after it was emptied does not cancel another charge", async () => {
  const key = newKey();
  const usage = openUsage(database.sql);
  const isWritten = Promise.withResolvers<void>();
  const { admission, stop } = await startServer({
    ...usage,
    async refund(...charge) {
      await usage.refund(...charge);
      await isWritten.promise;
    },
  });
  const [charged] = [await admission.admitKey(key), await admission.admitKey(key)];
  await usage.flush();
  const refund = admission.refundKey(key, charged);
  await usage.flush();
  await redis.client.del(meterName(key.meterId));
  expect((await admission.usage(key)).used).toBe(2);
  isWritten.resolve();
  await refund;
  await until(async () => (await admission.usage(key)).used < 2, 5_000);
  expect((await admission.usage(key)).used).toBe(1);
  stop();
});

test("a refund made while PostgreSQL was away stays, whoever writes first", async () => {
  const key = newKey();
  const [one, other] = await Promise.all([startServer(), startServer()]);
  const used = async () => (await one.admission.usage(key)).used;
  const charged = await Promise.all(Array.from({ length: 40 }, () => one.admission.admitKey(key)));
  await one.usage.flush();
  await database.sql`alter table usage rename to usage_gone`;
  // The first are in a write that fails, the others wait for their turn.
  for (const part of [charged.slice(0, 20), charged.slice(20)]) {
    await Promise.all(part.map((admitted) => one.admission.refundKey(key, admitted)));
  }
  // PostgreSQL never heard of these, so they are refunded at once.
  const others = await Promise.all(Array.from({ length: 5 }, () => one.admission.admitKey(key)));
  const before = await used();
  await Promise.all(others.map((admitted) => one.admission.refundKey(key, admitted)));
  expect(await used()).toBe(before - 5);
  await database.sql`alter table usage_gone rename to usage`;
  await other.admission.admitKey(key);
  await other.usage.flush();
  await one.usage.flush();
  await until(async () => (await used()) === 1, 5_000);
  one.stop();
  other.stop();
});

test("a request answered with 5xx is refunded", async () => {
  const { usage, admission, stop } = await startServer();
  const keyring = await createKeyring(database.sql);
  const owner = { name: "Ann", email: "ann@shop.example" };
  const { key } = await createKey(database.sql, { ...owner, tier: "developer" });
  const context = createContext();
  const request = new Request("http://localhost/", {
    headers: { Authorization: `Bearer ${key}` },
  });
  const fail = admitKey(
    keyring,
    admission,
  )(async () => {
    // So that PostgreSQL has to be told of the refund, too.
    await usage.flush();
    await beforeFailing();
    throw new Error("broken");
  });
  let beforeFailing = async () => {};
  await expect(Promise.resolve(fail(request, context))).rejects.toThrow("broken");
  const found = await keyring.resolve(key);
  if (!found.ok) throw new Error(found.denied);
  expect(await admission.usage(found.key)).toMatchObject({ used: 0, tokensLeft: 60 });

  // As long as it takes, but for no longer than half a second.
  const other = await database.sql.reserve();
  let failedAt = 0;
  beforeFailing = async () => {
    await other`begin`;
    await other`lock table usage`;
    failedAt = performance.now();
  };
  await expect(Promise.resolve(fail(request, context))).rejects.toThrow("broken");
  expect(performance.now() - failedAt).toBeGreaterThan(400);
  await other`commit`;
  other.release();
  await until(async () => (await admission.usage(found.key)).used === 0, 5_000);
  await keyring.stop();
  stop();
});
