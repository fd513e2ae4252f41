import { expect, test } from "bun:test";
import { importRecords } from "../../../src/directory/import.ts";
import { untilBlocked } from "../../support.ts";
import { named, openDirectory, whole } from "./directory.ts";

const { sql, load, stored } = await openDirectory();

test("slugs are readable, then with the outcode, then numbered, and stay on later imports", async () => {
  const at = (sourceId: string, postcode: string) =>
    named(sourceId, "Boots", { address: { line1: "1 High Street", postcode } });
  await load([named("0", "Jarrold", { slug: "boots-norwich-nr2-3" })]);
  await load([at("1", "NR2 1LL"), at("2", "NR2 1LL"), at("3", "NR2 1LL"), at("4", "NR2 1LL")]);
  await load([at("5", "NR3 1LL"), at("6", "NR2 1LL"), named("7", "Boots", { city: "Leeds" })]);
  const slugs = () =>
    sql`select slug from businesses order by source_id`.then((rows) =>
      rows.map(({ slug }) => slug),
    );
  const given = [
    "boots-norwich-nr2-3",
    "boots-norwich",
    "boots-norwich-nr2",
    "boots-norwich-nr2-2",
    "boots-norwich-nr2-4",
    "boots-norwich-nr3",
    "boots-norwich-nr2-5",
    "boots-leeds",
  ];
  expect(await slugs()).toEqual(given);

  await load([named("1", "Chemist Direct", { city: "Leeds", slug: "chemist" })]);
  expect(await slugs()).toEqual(given);
});

test("businesses of the same name are numbered without a gap, across batches and imports", async () => {
  const boots = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => named(`b${from + i}`, "Boots"));
  await load(boots(0, 700));
  // Two batches, see BATCH_SIZE.
  expect(await load(boots(700, 10_300))).toMatchObject({ read: 10_300, created: 10_300 });
  const [last] = await sql`
    select max(substring(slug from '^boots-norwich-nr1-([0-9]+)$')::integer) as number,
      count(*)::integer as count
    from businesses`;
  // boots-norwich and boots-norwich-nr1 come before number 2.
  expect(last).toEqual({ number: 10_999, count: 11_000 });
});

test("slugs of odd names", async () => {
  const odd: [name: string, slug: string, city?: string][] = [
    ["  Joe’s   Café & Grill  ", "joes-cafe-and-grill-norwich"],
    ["BRAŞOV", "brasov-norwich"],
    ["寿司", "business-norwich"],
    ["x".repeat(200), `${"x".repeat(70)}-norwich`],
    ["Busseys Norwich", "busseys-norwich"],
    [`${"long ".repeat(39)}name`, `${"long-".repeat(14)}norwich`],
    [`${"x".repeat(60)} ${"y".repeat(9)} z`, `${"x".repeat(60)}-${"y".repeat(9)}-norwich`],
    ["Norwich", "norwich"],
    // With an outcode and a number, too, it has 120 characters at most.
    ["x".repeat(200), `${"x".repeat(70)}-llan${"fair".repeat(7)}fa`, `Llan${"fair".repeat(10)}`],
    ["Tilbury Hire of Tilbury", "tilbury-hire-of-tilbury-bury", "Bury"],
  ];
  await load(odd.map(([name, , city = "Norwich"], place) => named(`${place}`, name, { city })));
  const rows = await sql`select slug, name from businesses order by source_id`;
  expect(rows.map(({ slug }) => slug)).toEqual(odd.map(([, slug]) => slug));
  expect(rows[0]?.name).toBe("Joe’s Café & Grill");
});

test("a slug in the record is used when it is free, and the record rejected with a reason when it is not", async () => {
  const result = await load([
    named("1", "Boots Norwich"),
    { ...whole, sourceId: "2", slug: "boots-norwich" },
    { ...whole, sourceId: "3", slug: "boots-norwich" },
    { ...whole, sourceId: "4", slug: "Not a slug" },
    { ...whole, sourceId: "5", slug: "" },
  ]);
  expect(result).toMatchObject({ read: 5, created: 3, rejected: 2 });
  expect(result.reasons.toSorted()).toEqual([
    "slug must be lower-case letters, digits and single hyphens, at most 120",
    "the slug belongs to another business: give another, or none",
  ]);
  expect((await stored("2"))?.slug).toBe("boots-norwich");
  expect((await stored("1"))?.slug).toBe("boots-norwich-nr1");
  expect((await stored("5"))?.slug).toStartWith("boots-");
  // Nor is one that existed before the import.
  expect(await load([named("6", "Jarrold", { slug: "boots-norwich" })])).toMatchObject({
    created: 0,
    rejected: 1,
  });
});

test("two concurrent imports never give two businesses the same slug", async () => {
  // If it were new, the second to add it would wait for the first.
  await sql`insert into cities (slug, name) values ('norwich', 'Norwich')`;
  const firstBatch = Promise.withResolvers<unknown>();
  let other: ReturnType<typeof load> | undefined;
  async function* feed() {
    // A whole batch, which is taken before the feed has ended.
    for (let i = 0; i < 10_000; i++) yield named(String(i), i === 0 ? "Boots" : `Shop ${i}`);
    // The slug is given, but only this import knows.
    await firstBatch.promise;
    other = load([named("1", "Boots")], { source: "other" });
    await untilBlocked(sql);
  }
  const options = { source: "test", onProgress: firstBatch.resolve };
  const counts = await importRecords(sql, feed(), options);
  expect([counts.created, (await other)?.created]).toEqual([10_000, 1]);
  const slugs = await sql`
    select source, slug from businesses where name = 'Boots' order by source desc`;
  expect([...slugs]).toEqual([
    { source: "test", slug: "boots-norwich" },
    { source: "other", slug: "boots-norwich-nr1" },
  ]);
});
