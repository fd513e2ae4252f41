import { expect } from "bun:test";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { meterName } from "../../src/access/meters.ts";
import type { DurableUsage } from "../../src/access/usage.ts";
import { openProxy } from "../proxy.ts";
import { delayedBy, newAddress, patient, testInOneMonth as test } from "../support.ts";
import { admitted, atNextRead, newKey, startFrailStores, untilBack } from "./frail-stores.ts";

// Refunds of what was charged before, in or after an outage of Redis.

const { beginOutage, database, frail, stored, withServers } = await startFrailStores();

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
    await untilBack(server);
  });
});

test("unreachable for one server: what another has refunded meanwhile stays refunded", async () => {
  await using proxy = await openProxy(new URL(frail.url));
  await withServers({ instances: 2, redisUrl: proxy.url }, async (alone) => {
    await withServers({ instances: 1, ...patient }, async (other) => {
      const key = newKey();
      const [first] = [await other.admission.admitKey(key), await other.admission.admitKey(key)];
      await other.usage.flush();
      await proxy.cut();
      expect(await alone.admission.admitKey(key)).toMatchObject({ admitted: true, used: 3 });
      await other.admission.refundKey(key, first);
      // Redis is told of this one from what is known here.
      atNextRead(alone.usage, () => alone.admission.admitKey(key));
      await proxy.mend();
      await untilBack(alone);
      expect(await alone.admission.usage(key)).toMatchObject({ used: 3 });
    });
  });
});

test("paused: a charge that is refunded while it is being written is not taken for one of another server", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
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
    atNextRead(usage, () => admission.admitKey(key));
    frail.resume();
    await untilBack(server);
    expect(await admission.usage(key)).toMatchObject({ used: 2 });
  });
});

test("a refund that does not reach Redis is made up for once it is back", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, redis } = server;
    const key = newKey({ perMinute: 1, burst: 100 });
    const charge = () => admission.admitKey(key);
    // Charged by Redis, and by this process in an outage that is over: Redis has been told of it.
    const charges = [await charge(), await charge()];
    await beginOutage(server);
    charges.push(await charge());
    frail.resume();
    await untilBack(server);
    expect(await admission.usage(key)).toMatchObject({ used: 3, tokensLeft: 97 });
    await beginOutage(server);
    const local = await charge();
    for (const each of charges) await admission.refundKey(key, each);
    // Redis never hears of this one.
    await admission.refundKey(key, await charge());
    frail.resume();
    await untilBack(server);
    expect(await admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 99 });

    const last = await charge();
    redis.disconnect(true);
    for (const each of [last, local]) await admission.refundKey(key, each);
    await untilBack(server);
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 0, tokensLeft: 100 });
    await server.usage.flush();
    expect(await stored(key)).toBe(0);
  });
});

test("a refund made while Redis is told what it missed is not lost, nor what is owed when that fails", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    const [first, second] = [await admission.admitKey(key), await admission.admitKey(key)];
    await beginOutage(server);
    await admission.refundKey(key, first);
    atNextRead(usage, () => {
      atNextRead(usage, () => admission.refundKey(key, second));
      throw new Error("PostgreSQL is away");
    });
    frail.resume();
    await untilBack(server);
    // What is still owed then is refunded right after.
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 0, tokensLeft: 10 });
  });
});

test("a refund that is still owed when Redis takes over is made in PostgreSQL first", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
    const { refund } = usage;
    const isWritable = Promise.withResolvers<void>();
    usage.refund = async (...charge) => {
      await isWritable.promise;
      await refund(...charge);
    };
    const key = newKey({ perMinute: 1, burst: 10 });
    await beginOutage(server);
    const charge = await admission.admitKey(key);
    atNextRead(usage, () => admission.refundKey(key, charge));
    frail.resume();
    await untilBack(server);
    expect((await admission.usage(key)).used).toBe(1);
    isWritable.resolve();
    await until(async () => (await admission.usage(key)).used === 0, 5_000);
  });
});

/** Lets a server hear of refunds that PostgreSQL has only from `when` on. */
function hearOfRefunds(usage: DurableUsage, when: Promise<void>): void {
  const { refund } = usage;
  usage.refund = async (...charge) => {
    await refund(...charge);
    await when;
  };
}

test("a refund that Redis is sent only after an outage does not cancel what was charged in that outage", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
    const heard = Promise.withResolvers<void>();
    hearOfRefunds(usage, heard.promise);
    const key = newKey();
    const charge = await admission.admitKey(key);
    await usage.flush();
    const refund = admission.refundKey(key, charge);
    await beginOutage(server);
    await admission.admitKey(key);
    await refund;
    frail.resume();
    await untilBack(server);
    expect((await admission.usage(key)).used).toBe(2);
    heard.resolve();
    await until(async () => (await admission.usage(key)).used < 2, 5_000);
    expect((await admission.usage(key)).used).toBe(1);
  });
});

test("a refund of what was charged while Redis was told of the rest does not cancel another charge", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage } = server;
    const heard = Promise.withResolvers<void>();
    hearOfRefunds(usage, heard.promise);
    const key = newKey({ perMinute: 1, burst: 10 });
    frail.pause();
    await admission.admitKey(key);
    atNextRead(usage, async () => {
      const [charge] = [await admission.admitKey(key), await admission.admitKey(key)];
      await admission.refundKey(key, charge);
    });
    frail.resume();
    await untilBack(server);
    expect((await admission.usage(key)).used).toBe(3);
    heard.resolve();
    await until(async () => (await admission.usage(key)).used < 3, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 2, tokensLeft: 8 });
  });
});

test("a refund in the moment in which Redis decides again stays", async () => {
  let refund = () => {};
  const onChange = (isLocal: boolean) => {
    if (!isLocal) refund();
  };
  await withServers({ instances: 1, onChange }, async (server) => {
    const { admission, usage } = server;
    const key = newKey({ perMinute: 1, burst: 10 });
    frail.pause();
    await admission.admitKey(key);
    // Redis is told of this one when it decides again.
    atNextRead(usage, async () => {
      const charge = await admission.admitKey(key);
      refund = () => admission.refundKey(key, charge);
    });
    frail.resume();
    await untilBack(server);
    await until(async () => (await admission.usage(key)).used < 2, 5_000);
    expect(await admission.usage(key)).toMatchObject({ used: 1, tokensLeft: 9 });
  });
});

test("a refund to a Redis that has lost the charge does not cancel another charge", async () => {
  await withServers({ instances: 1 }, async (server) => {
    const { admission, usage, redis } = server;
    const key = newKey();
    await admission.admitKey(key);
    const old = (await redis.getBuffer(meterName(key.meterId))) as Buffer;
    const charge = await admission.admitKey(key);
    await admission.admitKey(key);
    await beginOutage(server);
    await admission.refundKey(key, charge);
    // It comes back as from an old file.
    atNextRead(usage, () => redis.set(meterName(key.meterId), old));
    frail.resume();
    await untilBack(server);
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
    await untilBack(server);
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
    const behind = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const raised = Promise.withResolvers<void>();
    usage.hold = async (...held) => {
      behind.resolve();
      await written.promise;
      await hold(...held);
      raised.resolve();
      // Nor does any failure matter.
      throw new Error("PostgreSQL is away");
    };
    await flush();
    await behind.promise;
    // So that the outage lasts.
    usage.flush = async () => {
      throw new Error("PostgreSQL is away");
    };
    redis.disconnect(true);
    await admission.admitClient(newAddress());
    await until(() => succeeds(redis.ping()), 10_000);
    const charge = await admission.admitKey(key);
    await flush();
    written.resolve();
    await raised.promise;
    await admission.refundKey(key, charge);
    usage.flush = flush;
    await untilBack(server);
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
