import { expect, test } from "bun:test";
import { importCategories } from "../../../src/directory/import/categories.ts";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { readStored, updateBusinesses } from "../../../src/directory/import/rows.ts";
import { importRecords } from "../../../src/directory/import.ts";
import { listBusinesses } from "../../../src/directory/listing.ts";
import { applyAction } from "../../../src/directory/moderation.ts";
import { IMPORT_LOCK } from "../../../src/store/locks.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { createDatabase, delayedBy } from "../../support.ts";
import { named, openDirectory, whole } from "./directory.ts";

// A feed as a whole: its batches and its transaction, beside changes by others.

const { sql, load, stored } = await openDirectory();

test("lists, totals and search follow an import", async () => {
  await load([whole, named("2", "Jarrold", { category: "department-stores" })]);
  const total = async (category: string) =>
    (await listBusinesses(sql, { city: "norwich", category, offset: 0, limit: 1 })).total;
  expect(await total("pharmacies")).toBe(1);
  await load([{ ...whole, category: "department-stores" }]);
  expect(await total("pharmacies")).toBe(0);
  expect(await total("general-shops")).toBe(2);
  const changes = await sql`select distinct business_id from search_changes`;
  expect(changes.length).toBe(2);
});

test("a dry run counts everything and keeps nothing", async () => {
  expect(await load([whole, named("2", "")], { dryRun: true })).toMatchObject({
    created: 1,
    rejected: 1,
  });
  expect(await stored()).toBeUndefined();
  expect((await sql`select from cities`).length).toBe(0);
});

test("a feed that fails part-way leaves nothing", async () => {
  async function* broken() {
    for (let i = 0; i < 6_000; i++) yield named(String(i), `Shop ${i}`);
    throw new Error("the line went dead");
  }
  const importing = importRecords(sql, broken(), { source: "test" });
  // Bun waits in `rejects` without its usual turns.
  const error = await importing.catch((error) => error);
  expect(String(error)).toContain("the line went dead");
  expect((await sql`select from businesses limit 1`).length).toBe(0);
});

/** Businesses with these long fields. */
const long = (count: number, fields: Partial<ImportRecord>) =>
  Array.from({ length: count }, (_, i) => named(String(i), "Boots", fields));

const photo = { url: `https://boots.example/${"x".repeat(1_900)}`, caption: "y".repeat(500) };

const pictured = long(70, { photos: Array(200).fill(photo) });

test("a batch is bounded in characters, so that long descriptions and photos do not fill the memory", async () => {
  const description = "long ".repeat(4_000).trim();
  for (const records of [long(1_700, { description }), pictured]) {
    const batches: number[] = [];
    await load(records, { dryRun: true, onProgress: (read) => batches.push(read) });
    expect(batches).toEqual([expect.any(Number), records.length]);
  }
});

test("what short records change in long businesses is sent in parts, since PostgreSQL takes 1 GB at most", async () => {
  await load(pictured);
  const rated = pictured.map(({ sourceId, name }) => ({ sourceId, name, rating: 4 }));
  expect(await load(rated)).toMatchObject({ updated: 70 });
  // Each statement of a transaction has its own cmin.
  const [sent] = await sql`
    select count(distinct cmin::text)::integer as statements from businesses where rating = 4`;
  expect(sent).toEqual({ statements: 2 });
});

test("an import may take long, whatever timeouts its role has", async () => {
  await using own = await createDatabase();
  const { sql, url } = own;
  const name = new URL(url).pathname.slice(1);
  for (const limit of [
    "statement_timeout",
    "transaction_timeout",
    "idle_in_transaction_session_timeout",
  ]) {
    await sql.unsafe(`alter database ${name} set ${limit} = '200ms'`);
  }
  const limited = openPostgres(url, { max: 2 });
  async function* slowly() {
    yield whole;
    await Bun.sleep(500);
  }
  const counts = await delayedBy(
    sql,
    (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    () =>
      Promise.all([
        importRecords(limited, slowly(), { source: "slow" }),
        importCategories(limited, [{ slug: "own-kind", name: "Own kind" }]),
      ]),
    { connections: 2, meanwhile: () => Bun.sleep(500) },
  );
  expect(counts).toMatchObject([{ created: 1 }, { created: 1 }]);
  await limited.end();
});

test("a business deleted during an import is created again, and counted", async () => {
  await load([whole]);
  const counts = await delayedBy(
    sql,
    (operator) => operator`delete from businesses where slug = 'boots-norwich'`,
    () => load([{ ...whole, name: "Boots UK" }]),
  );

  expect(counts).toMatchObject({ read: 1, created: 1, updated: 0 });
  expect(await stored()).toMatchObject({ status: "approved", name: "Boots UK" });
});

test("a row that has changed since it was read is not updated", async () => {
  await load([whole, named("2", "Jarrold")]);
  const read = await readStored(sql, "test", ["1", "2"]);
  await applyAction(sql, "suspend", "boots-norwich");
  const after = Array.from(read.values(), (business) => ({ ...business, phone: "" }));

  const updated = await sql.begin((transaction) => updateBusinesses(transaction, after));

  expect([...updated]).toEqual([read.get("2")?.id ?? ""]);
  expect(await stored("1")).toMatchObject({ status: "suspended", phone: "01632 960123" });
  expect(await stored("2")).toMatchObject({ status: "approved", phone: "" });
});
