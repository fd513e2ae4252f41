import { expect, test } from "bun:test";
import type { Change } from "../../src/directory/announcements.ts";
import { effectOf, type Shown, subjectOf, touchesOf } from "../../src/directory/touched.ts";
import { readSnapshot } from "../../src/store/snapshots.ts";

const RANK = 5;
const keyOf = (id: string) => ({ rank: RANK, id });

/** A page of the list of all businesses, whose rows all have the same rank, as those without a rating do. */
const page: Shown = {
  kind: "list",
  scope: { category: 0, city: 0 },
  extent: { first: keyOf("c"), last: keyOf("e") },
  snapshot: readSnapshot("7:7:"),
};

/** What it does to the page that a business comes, goes or is edited. */
function effect(before: string | null, after: string | null) {
  const placeOf = (id: string | null) => id && { categories: [1], city: 2, key: keyOf(id) };
  const change = { transaction: 7, slug: "shop", before: placeOf(before), after: placeOf(after) };
  const touches = new Map(touchesOf(change as Change, 1));
  const touch = touches.get(subjectOf(page));
  return touch && effectOf(page, touch);
}

test("among businesses of the same rank, those on a page and those before it make it untrue", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const untrue = (id: string) => id >= "c" && id <= "e";
  expect(ids.map((id) => effect(id, id))).toEqual(ids.map((id) => (untrue(id) ? "untrue" : 0)));
  const shifted = (id: string) => id <= "e";
  expect(ids.map((id) => effect(null, id))).toEqual(ids.map((id) => (shifted(id) ? "untrue" : 1)));
  expect(ids.map((id) => effect(id, null))).toEqual(ids.map((id) => (shifted(id) ? "untrue" : -1)));
});

test("lists are never mixed up, however large the ids of their category and city", () => {
  const ids = [0, ...Array.from({ length: 31 }, (_, bit) => 2 ** bit), 2 ** 31 - 1];
  const subjects = [...ids, 4_000_000].flatMap((category) =>
    ids.map((city) => subjectOf({ ...page, scope: { category, city } })),
  );
  expect(new Set(subjects).size).toBe(subjects.length);
});
