import { afterAll, beforeAll, expect, test } from "bun:test";
import { openUsage } from "../../src/access/usage.ts";
import { createDatabase, type TestDatabase } from "../support.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

test("charges of two months are written each to its own, and a charge that was given back to none", async () => {
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
    { meterId: one, month: "2026-11" },
    { meterId: one, month: "2026-12" },
    { meterId: other, month: "2026-12" },
  ];
  expect(await usage.totals(asked)).toEqual([2, 7, 0]);
  usage.count(other, "2026-12", -1);
  expect(await usage.totals(asked)).toEqual([2, 7, 0]);
});

test("what cannot be written is written with what comes later, once", async () => {
  const usage = openUsage(database.sql);
  const meterId = Bun.randomUUIDv7();
  const broken = Bun.randomUUIDv7();
  usage.count(meterId, "2026-11", 1);
  usage.count(broken, "2026-13", 1);
  await expect(usage.flush()).rejects.toThrow();
  usage.count(broken, "2026-13", -1);
  usage.count(meterId, "2026-11", 1);
  await usage.flush();
  expect(await usage.totals([{ meterId, month: "2026-11" }])).toEqual([2]);
});

test("all who wait for a write that has yet to begin share it, also when it fails", async () => {
  const { sql } = database;
  // A sequence counts on though what it counted for is rolled back.
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
