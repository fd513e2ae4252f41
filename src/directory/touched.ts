import { type Snapshot, sees } from "../store/snapshots.ts";
import type { Change, ListKey, Place } from "./announcements.ts";

/** What a page shows, and so which changes invalidate it. Can be written as JSON. */
export type Shown = { kind: "business"; slug: string } | ShownList | { kind: "totals" };

export interface ShownList {
  kind: "list";
  /** What it is filtered by; 0 is any. */
  scope: { category: number; city: number };
  /** Null for a page without rows. */
  extent: Extent | null;
  /** What had been committed when it was read: a change that is already in it does not touch the page. */
  snapshot: Snapshot;
}

/** The part of a list that is on a page, from its first row to its last: changes there touch the page. */
export interface Extent {
  first: ListKey;
  /** Has LAST_RANK when the page has room for further rows. */
  last: ListKey;
}

/** What pages are grouped by to find those that a change may touch: a name, or a number for a list. */
export type Subject = string | number;

/** The subject of a page: only changes that touch it are compared with the page. */
export function subjectOf(shown: Shown): Subject {
  switch (shown.kind) {
    case "business":
      return `business ${shown.slug}`;
    case "list":
      return listSubject(shown.scope.category, shown.scope.city);
    case "totals":
      return "totals";
  }
}

/** What a change does to the pages of a subject. */
export interface Touch {
  /** The number of the batch of changes that it was reported in; see RecentChanges. */
  number: number;
  transaction: number;
  /** Where rows are new, gone or moved: from the first key to the last. Null: everywhere. */
  between: readonly [ListKey, ListKey] | null;
  /** By how many businesses the list has grown. */
  growth: -1 | 0 | 1;
}

/**
 * The touches of a change, by subject. A business that enters or leaves a list moves all rows after it. One
 * that stays moves those between its old place and its new one. What comes before is unaffected, except
 * for the total.
 */
export function* touchesOf(
  { transaction, slug, before, after }: Change,
  number: number,
): Generator<[Subject, Touch]> {
  const left = subjectsOf(before);
  const entered = subjectsOf(after);
  // All lists of the business share these objects, since so many touches are remembered.
  const told = { number, transaction };
  const whole: Touch = { ...told, between: null, growth: 0 };
  const between = inOrder(before?.key ?? END, after?.key ?? END);
  const moved: Touch = { ...told, between, growth: 0 };
  const gone: Touch = { ...told, between: [before?.key ?? END, END], growth: -1 };
  const come: Touch = { ...told, between: [after?.key ?? END, END], growth: 1 };

  yield [`business ${slug}`, whole];
  for (const subject of left) yield [subject, entered.has(subject) ? moved : gone];
  for (const subject of entered.difference(left)) yield [subject, come];
  if (left.symmetricDifference(entered).size > 0) yield ["totals", whole];
}

/** What a change does to a page: makes it untrue, or grows its list by this many businesses. */
export function effectOf(
  shown: Shown,
  { transaction, between, growth }: Touch,
): "untrue" | -1 | 0 | 1 {
  if (!between || shown.kind !== "list") return "untrue";
  if (sees(shown.snapshot, transaction)) return 0;
  // A page past the end shows no rows, and may get some when the list grows.
  const isTouched = shown.extent ? reachesInto(shown.extent, between) : growth !== 0;
  return isTouched ? "untrue" : growth;
}

function reachesInto({ first, last }: Extent, [low, high]: readonly [ListKey, ListKey]): boolean {
  return compare(last, low) >= 0 && compare(first, high) <= 0;
}

/**
 * A number, which takes less memory than a text. Ids have 31 bits, and two of them fit into a safe integer only if the
 * one of the category has at most 22: those from the sequence do, but COPY may bring in larger ones.
 */
const listSubject = (category: number, city: number): Subject =>
  category < 2 ** 22 ? category * 2 ** 31 + city : `list ${category} ${city}`;

/** The subjects of the lists that a business in this place is in. */
function subjectsOf(place: Place | null): Set<Subject> {
  const subjects = new Set<Subject>();
  if (!place) return subjects;
  for (const category of [0, ...place.categories]) {
    for (const city of [0, place.city]) subjects.add(listSubject(category, city));
  }
  return subjects;
}

/** After the rank of every business. Not Infinity, which JSON cannot represent. */
export const LAST_RANK = Number.MAX_VALUE;

/** After all rows of a list. */
const END: ListKey = { rank: LAST_RANK, id: "" };

const inOrder = (one: ListKey, other: ListKey): [ListKey, ListKey] =>
  compare(one, other) <= 0 ? [one, other] : [other, one];

function compare(one: ListKey, other: ListKey): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
