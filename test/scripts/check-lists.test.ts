import { afterEach, beforeEach, expect, test } from "bun:test";
import { IMPORT_LOCK } from "../../src/store/locks.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, delayedBy, runScript, type TestDatabase } from "../support.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

const checkLists = (...options: string[]) => runScript(database.url, "check-lists", options);

test("says that all is right, or what is wrong and what to do, and that the repair is done", async () => {
  const { slug } = await addBusiness(database.sql, { category: "pubs", city: "Leeds" });
  await addBusiness(database.sql, { category: "pubs", city: "Leeds" });
  const right = await checkLists();
  expect(right).toMatchObject({ exitCode: 0, stderr: "" });
  expect(right.stdout).toMatch(
    /^\d+ lists of 2 approved businesses, compared in [\d.]+ s: all right\.\n$/,
  );

  await database.sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`delete from businesses where slug = ${slug}`;
  });
  const wrong = await checkLists();
  expect(wrong).toMatchObject({ exitCode: 1, stderr: "" });
  expect(wrong.stdout).toMatch(/^\d+ lists of 1 approved business, .* s: \d+ wrong\.\n/);
  expect(wrong.stdout).toMatch(/^pubs +leeds +2 +1 +0 +1 +0$/m);
  expect(wrong.stdout).toEndWith("\nRun this command with --repair.\n");
  const { faults, ...counts } = JSON.parse((await checkLists("--json")).stdout);
  const fault = {
    category: "pubs",
    city: "leeds",
    total: 2,
    due: 1,
    missing: 0,
    strays: 1,
    wrongChunks: 0,
  };
  expect(faults).toContainEqual(fault);
  expect(counts).toMatchObject({ businesses: 1, wrongAncestors: 0, repaired: false });

  const repaired = await checkLists("--repair");
  expect(repaired).toMatchObject({ exitCode: 0, stderr: "" });
  expect(repaired.stdout).toContain(" wrong.\n");
  expect(repaired.stdout).toContain("\nRepaired. ");
  expect((await checkLists()).exitCode).toBe(0);
});

test("finds invalid opening hours that came in without triggers, and leaves them to the operator", async () => {
  const { slug } = await addBusiness(database.sql, { category: "pubs", city: "Leeds" });
  await database.sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`update businesses set opening_hours = 'Mo 9:00-17:00' where slug = ${slug}`;
  });
  const wrong = await checkLists("--repair");
  expect(wrong).toMatchObject({ exitCode: 1, stderr: "" });
  expect(wrong.stdout).toMatch(/: all right\.\nThe opening hours of 1 business cannot be read: /);
  const advice = /`(select slug, opening_hours .+)`/.exec(wrong.stdout)?.[1] ?? "";
  expect<object[]>([...(await database.sql.unsafe(advice))]).toEqual([
    { slug, opening_hours: "Mo 9:00-17:00" },
  ]);
  const { wrongHours } = JSON.parse((await checkLists("--json")).stdout);
  expect(wrongHours).toBe(1);
});

test("finds businesses whose city is gone, though every list agrees with them", async () => {
  const { slug } = await addBusiness(database.sql, { category: "pubs", city: "Leeds" });
  await addBusiness(database.sql, { category: "pubs", city: "York" });
  await database.sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`delete from cities where slug = 'leeds'`;
  });
  const wrong = await checkLists();
  expect(wrong).toMatchObject({ exitCode: 1, stderr: "" });
  expect(wrong.stdout).toMatch(/: all right\.\nThe category or city of 1 business is gone: /);
  const advice = /`(select .+)`/.exec(wrong.stdout)?.[1] ?? "";
  expect<object[]>([...(await database.sql.unsafe(advice))]).toMatchObject([{ slug }]);
  const { wrongReferences } = JSON.parse((await checkLists("--json")).stdout);
  expect(wrongReferences).toBe(1);
});

test("says what is wrong with a list whose total and businesses are right", async () => {
  for (let count = 0; count < 9; count++) {
    await addBusiness(database.sql, { reviewCount: count });
  }
  await database.sql`select compact_listing_counts(4)`;
  await database.sql`
    update listing_counts set change = change + (case when from_rank = 0 then 1 else -1 end)
    where category_id = 0 and city_id = 0 and (from_rank = 0 or from_rank = (
      select max(from_rank) from listing_counts where category_id = 0 and city_id = 0))`;
  const { stdout } = await checkLists();
  expect(stdout).toMatch(/ s: 1 wrong\.\n/);
  expect(stdout).toMatch(/^any +any +9 +9 +0 +0 +2$/m);
  expect(stdout).toContain("\nWhere only chunks are wrong, later pages begin ");
  expect((await checkLists("--repair")).stdout).toContain(" later pages began ");
});

test("a repair that waits for an import says so", async () => {
  const repair = await delayedBy(
    database.sql,
    (importing) => importing`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    () => checkLists("--repair"),
  );
  expect(repair).toMatchObject({
    exitCode: 0,
    stderr: "Waiting for another import (or generate, or check-lists --repair) to finish.\n",
  });
});

test("of many wrong lists the worst are shown", async () => {
  for (let number = 0; number < 25; number++) {
    await addBusiness(database.sql, { category: "pubs", city: `Town ${number}` });
  }
  await database.sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`delete from businesses`;
  });
  const { stdout } = await checkLists();
  const [heads, first, ...others] = stdout.slice(stdout.indexOf("\ncategory ") + 1).split("\n");
  expect(heads).toMatch(/^category +city +total +should be +missing +strays +wrong chunks$/);
  expect(first).toMatch(/ any +25 +0 +0 +25 +0$/);
  expect(others.slice(0, 4)).toContainEqual(expect.stringMatching(/^any +any +25 +0 +0 +25 +0$/));
  expect(stdout).toMatch(/^and \d+ more$/m);
});
