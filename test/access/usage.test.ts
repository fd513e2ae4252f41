import { afterAll, expect, test } from "bun:test";
import pino from "pino";
import { succeeds, until } from "../../scripts/stack/waiting.ts";
import { type DurableUsage, flushRegularly, openUsage } from "../../src/access/usage.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, delayedBy, untilBlocked } from "../support.ts";

const database = await createDatabase();
afterAll(() => database.drop());

/** Counts the writes of usage that the database's client sends, until it is disposed of. */
function countWrites() {
  const { options } = database.sql;
  let count = 0;
  options.debug = (_connection, query) => {
    if (query.includes("insert into usage")) count++;
  };
  return {
    count: () => count,
    [Symbol.dispose]() {
      options.debug = false;
    },
  };
}

test("totals include what is counted while they are read", async () => {
  const usage = openUsage(database.sql);
  const meter = { meterId: Bun.randomUUIDv7(), month: "2026-11" };
  usage.count(meter.meterId, meter.month, 2);
  const totals = await delayedBy(
    database.sql,
    (holder) => holder`lock table usage in exclusive mode`,
    () => usage.totals([meter]),
    {
      async meanwhile() {
        usage.count(meter.meterId, meter.month, 3);
      },
    },
  );
  expect(totals).toEqual([5]);
});

test("totals include what is counted while they are read and would already be written by the next flush", async () => {
  const usage = openUsage(database.sql);
  const meter = { meterId: Bun.randomUUIDv7(), month: "2026-11" };
  const totals = await delayedBy(
    database.sql,
    (holder) => holder`lock table usage`,
    () => usage.totals([meter]),
    {
      async meanwhile() {
        usage.count(meter.meterId, meter.month, 3);
        usage.flush();
      },
    },
  );
  expect(totals).toEqual([3]);
  await usage.flush();
  expect(await usage.totals([meter])).toEqual([3]);
});

test("charges of two months are written each to its own, and a refunded charge to none", async () => {
  const usage = openUsage(database.sql);
  const [one, other] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  const told: unknown[] = [];
  usage.onWritten((month, totals) => told.push([month, totals]));
  usage.count(one, "2026-11", 2);
  usage.count(one, "2026-12", 3);
  usage.count(other, "2026-12", 1);
  usage.count(other, "2026-12", -1);
  await usage.flush();
  expect(told).toEqual([
    ["2026-11", [{ meterId: one, used: 2 }]],
    ["2026-12", [{ meterId: one, used: 3 }]],
  ]);
  usage.count(one, "2026-12", 4);
  const asked = [
    { meterId: other, month: "2026-12" },
    { meterId: one, month: "2026-11" },
    { meterId: one, month: "2026-12" },
  ];
  expect(await usage.totals(asked)).toEqual([0, 2, 7]);
  usage.count(other, "2026-12", -1);
  expect(await usage.totals(asked)).toEqual([0, 2, 7]);
});

test("the usage of many keys is one statement", async () => {
  const { sql } = database;
  using writes = countWrites();
  const usage = openUsage(sql);
  const keys = Array.from({ length: 500 }, () => Bun.randomUUIDv7());
  for (const meterId of keys) usage.count(meterId, "2026-11", 1);
  await usage.flush();
  expect(writes.count()).toBe(1);
  const asked = keys.map((meterId) => ({ meterId, month: "2026-11" }));
  expect(new Set(await usage.totals(asked))).toEqual(new Set([1]));
});

test("servers that write the usage of the same keys do not deadlock, whoever counted which first", async () => {
  const { sql } = database;
  const ids = Array.from({ length: 3 }, () => Bun.randomUUIDv7());
  const [one = "", two = "", three = ""] = ids.sort();
  const write = (...meterIds: string[]) => {
    const usage = openUsage(sql);
    for (const meterId of meterIds) usage.count(meterId, "2026-11", 1);
    return usage.flush();
  };
  await write(one, two, three);
  let other: Promise<void> | undefined;
  await delayedBy(
    sql,
    (holder) => holder`select from usage where meter_id = ${three} for update`,
    () => write(one, three, two),
    {
      async meanwhile() {
        other = write(two, one);
        await untilBlocked(sql, 2);
      },
    },
  );
  await other;
});

test("concurrent refunds of several keys, each in its month, resolve once they are written", async () => {
  const { sql } = database;
  const usage = openUsage(sql);
  const [one, other] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  const charged = [
    { meterId: one, month: "2026-11" },
    { meterId: one, month: "2026-12" },
    { meterId: other, month: "2026-12" },
  ];
  for (const { meterId, month } of charged) usage.count(meterId, month, 1);
  await usage.flush();
  const holder = await sql.reserve();
  await holder`begin`;
  await holder`lock table usage`;
  let over = 0;
  const given = charged.map(async ({ meterId, month }) => {
    await usage.refund(meterId, month);
    over++;
  });
  await untilBlocked(sql);
  expect(over).toBe(0);
  await holder`commit`;
  holder.release();
  await Promise.all(given);
  expect(await openUsage(sql).totals(charged)).toEqual([0, 0, 0]);
});

test("what cannot be written is written with what comes later, once", async () => {
  const { sql } = database;
  await sql.unsafe(`
    create function refuse_december() returns trigger language plpgsql as $$
      begin raise exception 'refused'; end $$;
    create trigger refuse_december before insert on usage for each row
      when (new.month = '2026-12-01') execute function refuse_december();`);
  const usage = openUsage(sql);
  const meterId = Bun.randomUUIDv7();
  usage.count(meterId, "2026-11", 1);
  usage.count(meterId, "2026-12", 1);
  await expect(usage.flush()).rejects.toThrow("refused");
  usage.count(meterId, "2026-11", 1);
  usage.count(meterId, "2026-12", 1);
  await expect(usage.flush()).rejects.toThrow("refused");
  await sql`drop trigger refuse_december on usage`;
  usage.count(meterId, "2026-12", 1);
  using writes = countWrites();
  await usage.flush();
  // What failed, and all that came later for each month, however often it was tried.
  expect(writes.count()).toBe(3);
  const asked = ["2026-11", "2026-12"].map((month) => ({ meterId, month }));
  expect(await usage.totals(asked)).toEqual([2, 3]);
});

test("what was written counts once, also when the reply of the commit is lost", async () => {
  const proxy = await openProxy(new URL(database.url));
  const sql = openPostgres(proxy.url, { max: 1 });
  const usage = openUsage(sql);
  const asked = [{ meterId: Bun.randomUUIDv7(), month: "2026-11" }];
  const count = (requests: number) => usage.count(asked[0]?.meterId ?? "", "2026-11", requests);
  // From now on the statement is prepared, and has one answer: that it is done.
  count(1);
  await usage.flush();
  count(2);
  proxy.loseAnswer();
  await expect(usage.flush()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await openUsage(database.sql).totals(asked)).toEqual([3]);
  count(4);
  await until(() => succeeds(usage.flush()), 5_000);
  expect(await usage.totals(asked)).toEqual([7]);
  await sql.end();
  await proxy.close();
});

test("of processes that ended long ago only the usage is kept", async () => {
  const { sql } = database;
  const write = async (usage: DurableUsage) => {
    usage.count(Bun.randomUUIDv7(), "2026-11", 1);
    await usage.flush();
  };
  await sql`delete from usage_writes`;
  const running = openUsage(sql);
  await write(running);
  await sql`update usage_writes set written_at = now() - interval '2 days'`;
  await write(running);
  const [ended, old] = [crypto.randomUUID(), crypto.randomUUID()];
  await sql`
    insert into usage_writes
    values (${ended}, 7, now() - interval '1 hour'), (${old}, 7, now() - interval '2 days')`;
  await write(openUsage(sql));
  const kept = await sql<{ writer: string }[]>`select writer from usage_writes`;
  expect(kept).toHaveLength(3);
  expect(kept.map(({ writer }) => writer)).toContain(ended);
  expect(kept.map(({ writer }) => writer)).not.toContain(old);
});

test("all callers that wait for a write that has yet to begin share it, also when it fails", async () => {
  const { sql } = database;
  // A sequence does not roll back with its transaction.
  await sql.unsafe(`
    create sequence writes;
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused %', nextval('writes'); end $$;
    create trigger refuse before insert on usage execute function refuse();`);
  const usage = openUsage(sql);
  usage.count(Bun.randomUUIDv7(), "2026-11", 1);
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => usage.flush()));
  await sql`drop trigger refuse on usage`;
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  const [counted] = await sql`select last_value::integer as writes from writes`;
  expect(counted).toEqual({ writes: 1 });
});

test("nobody changes what a meter has used while a server holds it, which is not for long", async () => {
  const { sql } = database;
  const [usage, other] = [openUsage(sql), openUsage(sql)];
  const charged = ["2026-11", "2026-12"].map((month) => ({ meterId: Bun.randomUUIDv7(), month }));
  for (const { meterId, month } of charged) usage.count(meterId, month, 3);
  await usage.flush();
  let refunding = Promise.resolve();
  await usage.hold(charged, async (totals) => {
    expect(totals).toEqual([3, 3]);
    refunding = other.refund(charged[1]?.meterId ?? "", "2026-12");
    await untilBlocked(sql);
    expect(await openUsage(sql).totals(charged)).toEqual([3, 3]);
  });
  await refunding;
  expect(await usage.totals(charged)).toEqual([3, 2]);
  // Nor does one that hangs keep them from it for ever.
  const hanging = Promise.withResolvers<void>();
  const refunded = Promise.withResolvers<void>();
  const held = usage.hold(charged, async () => {
    refunded.resolve(other.refund(charged[0]?.meterId ?? "", "2026-11"));
    await hanging.promise;
  });
  held.catch(() => {});
  await refunded.promise;
  hanging.resolve();
  await expect(held).rejects.toThrow();
  expect(await usage.totals(charged)).toEqual([2, 2]);
});

test("a write begins when the one before it has ended", async () => {
  const { sql } = database;
  using writes = countWrites();
  const usage = openUsage(sql);
  const meterId = Bun.randomUUIDv7();
  const flushes: Promise<void>[] = [];
  await sql.begin(async (other) => {
    await other`lock table usage`;
    for (const requests of [1, 2]) {
      usage.count(meterId, "2026-11", requests);
      flushes.push(usage.flush());
      await until(() => writes.count() > 0, 5_000);
    }
  });
  await Promise.all(flushes);
  expect(writes.count()).toBe(2);
  expect(await usage.totals([{ meterId, month: "2026-11" }])).toEqual([3]);
});

test("that usage cannot be written is logged once, and so is its recovery", async () => {
  const { sql } = database;
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const usage = openUsage(sql);
  const flushing = flushRegularly(usage, log);
  using writes = countWrites();
  usage.count(Bun.randomUUIDv7(), "2026-11", 1);
  await until(() => writes.count() === 1, 5_000);
  await sql`alter table usage rename to usage_gone`;
  usage.count(Bun.randomUUIDv7(), "2026-11", 1);
  await until(() => writes.count() === 3 && flushing.isFailing(), 5_000);
  await sql`alter table usage_gone rename to usage`;
  await until(async () => !flushing.isFailing(), 5_000);
  await flushing.stop();
  expect(lines).toEqual([
    "usage cannot be written to PostgreSQL",
    "usage is written to PostgreSQL again",
  ]);
});
