import { expect, test } from "bun:test";
import type { ImportRecord } from "../../../src/directory/import/record.ts";
import { listBusinesses } from "../../../src/directory/listing.ts";
import { applyAction } from "../../../src/directory/moderation.ts";
import { delayedBy } from "../../support.ts";
import { named, openDirectory, whole } from "./directory.ts";

// Which businesses an import approves, makes pending or leaves as an operator has decided.

const { sql, load, stored } = await openDirectory();

test("an incomplete business is pending and counted, and approved once it is complete", async () => {
  const lacking: Partial<ImportRecord>[] = [
    { ...whole, sourceId: "category", category: null },
    { ...whole, sourceId: "city", city: "  " },
    { ...whole, sourceId: "line1", address: { postcode: "NR1 3DD" } },
    { ...whole, sourceId: "n/a", address: { line1: "N/A", line2: "-", postcode: "NR1 3DD" } },
    {
      ...whole,
      sourceId: "#N/A",
      address: { line1: "#N/A", line2: "Please select", postcode: "NR1 3DD" },
    },
    { ...whole, sourceId: "postcode", address: { line1: "1 High Street", postcode: "NR1" } },
    { ...whole, sourceId: "coordinates", coordinates: null },
  ];
  const { unusable, ...counts } = await load(lacking);
  expect(counts).toMatchObject({ created: 7, pending: 7, rejected: 0 });
  expect(unusable).toEqual(["line1", "line2", "line1", "line2", "postcode"]);
  expect((await listBusinesses(sql, { offset: 0, limit: 20 })).total).toBe(0);

  const completed = lacking.map(({ sourceId = "" }) => ({ ...whole, sourceId }));
  expect(await load(completed)).toMatchObject({ updated: 7, pending: 0 });
  expect((await listBusinesses(sql, { offset: 0, limit: 20 })).total).toBe(7);
});

test("an approved business that becomes incomplete is pending until it is complete again, whatever the import's status", async () => {
  const both = [whole, named("2", "Jarrold")];
  await load([whole]);
  // Whoever approved it.
  await load(both, { status: "pending" });
  await applyAction(sql, "approve", (await stored("2"))?.slug);

  const lost = both.map((record) => ({ ...record, city: "" }));
  for (const status of ["approved", "pending"] as const) {
    expect(await load(lost, { status })).toMatchObject({ updated: 2, pending: 2, withdrawn: 2 });
    expect(await stored()).toMatchObject({ status: "pending", city: null });
    expect(await load(lost, { status })).toMatchObject({ unchanged: 2, pending: 2, withdrawn: 0 });
    expect(await load(both, { status })).toMatchObject({ updated: 2, pending: 0 });
    for (const id of ["1", "2"]) {
      expect(await stored(id)).toMatchObject({ status: "approved", city: "Norwich" });
    }
  }
});

test("a business awaiting review is counted while incomplete, and completing it does not approve it", async () => {
  const incomplete = { ...whole, coordinates: null };
  const feed = [incomplete, { ...incomplete, sourceId: "2" }];
  expect(await load(feed, { status: "pending" })).toMatchObject({ created: 2, pending: 2 });
  const complete = [whole, { ...whole, sourceId: "2" }];
  expect(await load(complete)).toMatchObject({ updated: 2, pending: 0, withdrawn: 0 });
  expect((await stored("1"))?.status).toBe("pending");

  const { slug } = (await stored("2")) as { slug: string };
  await applyAction(sql, "approve", slug);
  // Once approved by an operator, it is like any other.
  expect(await load(feed)).toMatchObject({ updated: 2, pending: 2 });
  await load(complete);
  expect((await stored("1"))?.status).toBe("pending");
  expect((await stored("2"))?.status).toBe("approved");
});

test("the status of a record and of the import applies to new businesses only", async () => {
  const suspended = { ...whole, sourceId: "2", status: "suspended" as const };
  // It is incomplete, but that is not why it is pending.
  const rejected = { ...whole, sourceId: "3", status: "rejected" as const, city: null };
  const statuses = () =>
    Promise.all(["1", "2", "3"].map(async (sourceId) => (await stored(sourceId))?.status));
  // One that only waits for an operator is not counted, since it is complete.
  expect(await load([whole, suspended, rejected], { status: "pending" })).toMatchObject({
    created: 3,
    pending: 0,
  });
  expect(await statuses()).toEqual(["pending", "suspended", "rejected"]);

  await load([whole, ...[suspended, rejected].map((each) => ({ ...each, status: "approved" }))]);
  expect(await statuses()).toEqual(["pending", "suspended", "rejected"]);
});

test("no record escapes an import with status pending by saying that it is approved", async () => {
  const approved = { ...whole, status: "approved" as const };
  const incomplete = { ...approved, sourceId: "2", coordinates: null };
  await load([approved, incomplete], { status: "pending" });
  // Neither when it is completed later, by whatever import, nor when it was incomplete before.
  await load([{ ...incomplete, sourceId: "3" }]);
  for (const status of ["pending", "approved"] as const) {
    await load([approved, { ...approved, sourceId: "2" }], { status });
  }
  await load([{ ...approved, sourceId: "3" }], { status: "pending" });
  for (const id of ["1", "2", "3"]) expect((await stored(id))?.status).toBe("pending");
  expect((await listBusinesses(sql, { offset: 0, limit: 20 })).total).toBe(0);
});

test("an operator's decision about a business that a record made pending stands", async () => {
  const ids = ["1", "2", "3", "4"];
  const feed = ids.map((sourceId) => ({ ...whole, sourceId }));
  await load(feed);
  await load(feed.map((record) => ({ ...record, city: "" })));
  await applyAction(sql, "reject", (await stored("1"))?.slug);
  await applyAction(sql, "suspend", (await stored("2"))?.slug);
  // Rejected, and then set back to pending, both in SQL.
  await sql`update businesses set status = 'rejected' where source_id = '3'`;
  await sql`update businesses set status = 'pending' where source_id = '3'`;
  // This decides nothing about its status.
  await applyAction(sql, "unclaim", (await stored("4"))?.slug);

  await load(feed);

  const statuses = await Promise.all(ids.map(async (id) => (await stored(id))?.status));
  expect(statuses).toEqual(["rejected", "suspended", "pending", "approved"]);
});

test("no import overrides an operator who rejected, suspended or set back to pending", async () => {
  await load([whole, named("2", "Jarrold", { city: null }), named("3", "Roys")]);
  await applyAction(sql, "suspend", "boots-norwich");
  await applyAction(sql, "reject", (await stored("2"))?.slug);
  await sql`update businesses set status = 'pending' where source_id = '3'`;

  await load([{ ...whole, phone: "" }, named("2", "Jarrold"), named("3", "Roys", { phone: "" })]);

  expect(await stored("1")).toMatchObject({ status: "suspended", phone: "" });
  expect(await stored("2")).toMatchObject({ status: "rejected", city: "Norwich" });
  expect(await stored("3")).toMatchObject({ status: "pending", phone: "" });
  // Nor one that completes it, and then it is like any other that awaits review.
  await load([named("3", "Roys", { city: null })]);
  expect(await load([named("3", "Roys")])).toMatchObject({ updated: 1, withdrawn: 0 });
  expect(await stored("3")).toMatchObject({ status: "pending", city: "Norwich" });
});

test("an operator's decision during an import stands", async () => {
  await load([whole]);
  // The import has read the business as it was, and waits to write it.
  const counts = await delayedBy(
    sql,
    (operator) => operator`update businesses set status = 'suspended' where slug = 'boots-norwich'`,
    () => load([{ ...whole, name: "Boots UK" }]),
  );

  expect(counts).toMatchObject({ updated: 1, unchanged: 0 });
  expect(await stored()).toMatchObject({ status: "suspended", name: "Boots UK" });
});
