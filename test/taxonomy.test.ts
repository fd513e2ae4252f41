import { afterAll, expect, test } from "bun:test";
import { isSlug } from "../src/directory/slug.ts";
import { knownTrades } from "../src/search/synonyms.ts";
import { searchWords } from "../src/search/words.ts";
import { createDatabase } from "./support.ts";

interface Category {
  slug: string;
  name: string;
  parent: string | null;
  isActive: boolean;
}

const database = await createDatabase();
const categories = await database.sql<Category[]>`
  select c.slug, c.name, parent.slug as parent, c.is_active as "isActive"
  from categories as c left join categories as parent on parent.id = c.parent_id
  order by c.id`;
afterAll(() => database.drop());

const roots = () => categories.filter(({ parent }) => parent === null);
const leaves = () => categories.filter(({ parent }) => parent !== null);

test("the taxonomy has 26 branches and 286 leaves, all of them active", () => {
  expect(roots()).toHaveLength(26);
  expect(leaves()).toHaveLength(286);
  expect(categories.filter(({ isActive }) => !isActive)).toEqual([]);
});

test("every leaf is below a branch, and every branch has leaves", () => {
  const branches = roots().map(({ slug }) => slug);
  expect(leaves().filter(({ parent }) => !branches.includes(parent ?? ""))).toEqual([]);
  expect(branches.filter((slug) => !leaves().some(({ parent }) => parent === slug))).toEqual([]);
});

test("names and slugs are unique, and slugs are well formed", () => {
  expect(new Set(categories.map(({ name }) => name.toLowerCase())).size).toBe(categories.length);
  expect(new Set(categories.map(({ slug }) => slug)).size).toBe(categories.length);
  expect(categories.filter(({ slug }) => !isSlug(slug))).toEqual([]);
});

test("search knows each leaf as a trade, except those that occur in many place names", () => {
  const isKnown = (text: string) => {
    const words = searchWords(text);
    return words.some((_, start) =>
      words.some((_, last) => knownTrades.has(words.slice(start, last + 1).join(" "))),
    );
  };
  const unknown = leaves().filter(({ slug, name }) => !isKnown(slug) && !isKnown(name));
  const slugs = unknown.map(({ slug }) => slug).filter((slug) => !slug.startsWith("other-"));
  expect(slugs.toSorted()).toEqual(["bars", "farms", "markets"]);
});

test("names are in British spelling", () => {
  const american = /\b(jewelry|tire|center|theater|license|gray|color|catalog|check|organization)/i;
  expect(categories.filter(({ name }) => american.test(name))).toEqual([]);
});

test("a branch includes all of its leaves, and a leaf has its branch", async () => {
  const below = await database.sql<{ slug: string; distance: number }[]>`
    select below.slug, a.distance
    from category_ancestors as a
      join categories as below on below.id = a.category_id
      join categories as above on above.id = a.ancestor_id
    where above.slug = 'pubs-and-bars'
    order by a.distance, below.slug`;
  expect([...below]).toEqual([
    { slug: "pubs-and-bars", distance: 0 },
    { slug: "bars", distance: 1 },
    { slug: "nightclubs", distance: 1 },
    { slug: "pubs", distance: 1 },
    { slug: "social-clubs", distance: 1 },
  ]);
  const [{ count }] = await database.sql<[{ count: number }]>`
    select count(*)::integer as count from category_ancestors`;
  expect(count).toBe(26 + 2 * 286);
});
