import { expect, test } from "bun:test";
import { listCategories } from "../../../src/directory/categories.ts";
import { CategoryFault, importCategories } from "../../../src/directory/import/categories.ts";
import { createDatabase, delayedBy } from "../../support.ts";
import { openDirectory, whole } from "./directory.ts";

// The category of a business, and the import of categories.

const { sql, load, stored } = await openDirectory();

test("a category may be written with capitals, spaces and entities, and in the singular", async () => {
  const slugs: [category: string, slug: string][] = [
    [" Bakeries ", "bakeries"],
    ["Fish & Chips", "fish-and-chips"],
    ["fish  and chips", "fish-and-chips"],
    ["FISH-AND-CHIPS", "fish-and-chips"],
    ["Fish &amp; Chips", "fish-and-chips"],
    ["Gift shop", "gift-shops"],
    ["Café", "cafes"],
    ["Bakery", "bakeries"],
    ["Car wash", "car-washes"],
    ["Takeaway", "takeaways"],
    ["Locksmith", "locksmiths"],
    ["Gym", "gyms"],
  ];
  await load(slugs.map(([category], place) => ({ ...whole, sourceId: `${place}`, category })));
  const kept = await Promise.all(
    slugs.map(async ([category], place) => [category, (await stored(`${place}`))?.category]),
  );
  expect(kept).toEqual(slugs);
  expect(await load([{ ...whole, category: " " }])).toMatchObject({ rejected: 0, pending: 1 });
});

test("a category's ancestors come root first, and an empty parent is none", async () => {
  const names = ["Kingdom", "Phylum", "Class"];
  const [kingdom, phylum, above] = names.map((name) => ({ slug: name.toLowerCase(), name }));
  await importCategories(sql, [
    { slug: "kingdom", name: "Kingdom", parent: "" },
    { slug: "phylum", name: "Phylum", parent: "kingdom" },
    { slug: "class", name: "Class", parent: "phylum" },
    { slug: "order", name: "Order", parent: "class" },
  ]);
  const all = await listCategories(sql);
  expect(all.find(({ slug }) => slug === "kingdom")).toMatchObject({ parent: null, parents: [] });
  expect(all.find(({ slug }) => slug === "order")).toMatchObject({
    parent: above,
    parents: [kingdom, phylum, above],
  });
});

test.each<[second: object, third: object, isOther: boolean]>([
  [{ parent: "bakeries" }, { parent: "pharmacies" }, true],
  [{ parent: "bakeries" }, { parent: null }, true],
  [{ parent: null }, { parent: "bakeries" }, true],
  [{ isActive: false }, { isActive: true }, true],
  [{ name: "Own" }, { name: "Other" }, true],
  [{ parent: "bakeries" }, { isActive: true }, false],
  [{ parent: "" }, { parent: null }, false],
  [{ isActive: null }, { isActive: false }, false],
])(
  "a category of which one row says %j and another %j contradicts itself: %p",
  async (second, third, isOther) => {
    const rows = [{}, second, {}, third].map((more) => ({
      slug: "own-kind",
      name: "Own",
      ...more,
    }));
    const error = await importCategories(sql, rows, { dryRun: true }).catch((error) => error);
    expect(error instanceof CategoryFault).toBe(isOther);
  },
);

test("concurrent imports of the same categories add them once, and none fails", async () => {
  const records = Array.from({ length: 100 }, (_, n) => ({ slug: `twin-${n}`, name: `Twin ${n}` }));
  const counts = await Promise.all([1, 2, 3, 4].map(() => importCategories(sql, records)));
  expect(counts.map(({ created }) => created).sort((a, b) => b - a)).toEqual([100, 0, 0, 0]);
});

test("categories can be imported while an operator renames one and moves it", async () => {
  await using own = await createDatabase();
  const { sql } = own;
  await importCategories(sql, [
    { slug: "own-kind", name: "Own kind" },
    { slug: "own-other", name: "Own other" },
  ]);
  const counts = await delayedBy(
    sql,
    (operator) => operator`update categories set name = 'Renamed' where slug = 'own-kind'`,
    () => importCategories(sql, [{ slug: "own-other", name: "Imported" }]),
    {
      meanwhile: (operator) => operator`
        update categories set parent_id = (select id from categories where slug = 'own-other')
        where slug = 'own-kind'`,
    },
  );
  expect(counts).toMatchObject({ updated: 1 });
});

test("more categories are imported at once than a statement has parameters for", async () => {
  const records = Array.from({ length: 22_000 }, (_, n) => ({ slug: `many-${n}`, name: `N${n}` }));
  const counts = await importCategories(sql, records, { dryRun: true });
  expect(counts).toEqual({ read: 22_000, created: 22_000, updated: 0, unchanged: 0 });
}, 30_000);
