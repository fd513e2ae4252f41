import { type Snapshot, sees } from "../store/snapshots.ts";
import type { Change, ListKey, Place } from "./announcements.ts";

/** What a page shows, which says what changes make it untrue. */
export type Shown = { kind: "business"; slug: string } | ShownList | { kind: "totals" };

export interface ShownList {
  kind: "list";
  scope: Scope;
  /** Null for a page without rows. */
  extent: Extent | null;
  /** When it was read. */
  snapshot: Snapshot;
}

/** What a list is filtered by; 0 is any. */
export interface Scope {
  category: number;
  city: number;
}

/** The part of a list in which a change touches the rows of a page: from its first row to its last. */
export interface Extent {
  firstRank: number;
  firstId: string;
  /** LAST_RANK when a further row would stand on the same page. */
  lastRank: number;
  lastId: string;
}

/** A name under which all pages are found that one change could touch. */
export function subjectOf(shown: Shown): string {
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
  /** The id of the transaction. */
  transaction: number;
  /** Where rows are new, gone or moved: from the first key to the last. Null: all is touched. */
  between: readonly [ListKey, ListKey] | null;
  /** By how many businesses the list has grown. */
  growth: -1 | 0 | 1;
}

/** What some changes do, by subject, in their order. */
export function touchesOf(changes: readonly Change[]): Map<string, Touch[]> {
  const touches = new Map<string, Touch[]>();
  for (const change of changes) {
    for (const [subject, touch] of touchesOfOne(change)) {
      const earlier = touches.get(subject);
      if (earlier) earlier.push(touch);
      else touches.set(subject, [touch]);
    }
  }
  return touches;
}

/**
 * A business that comes into a list or leaves it moves all rows behind it. One that stays moves
 * those between its old place and its new one. What stands before is as it was, but for the total.
 */
function* touchesOfOne({ transaction, slug, before, after }: Change): Generator<[string, Touch]> {
  const whole = { transaction, between: null, growth: 0 } as const;
  yield [`business ${slug}`, whole];
  const left = subjectsOf(before);
  const entered = subjectsOf(after);
  for (const subject of left.union(entered)) {
    const from = left.has(subject) ? before?.key : undefined;
    const to = entered.has(subject) ? after?.key : undefined;
    const growth = from === undefined ? 1 : to === undefined ? -1 : 0;
    yield [subject, { transaction, between: inOrder(from ?? END, to ?? END), growth }];
  }
  if (left.symmetricDifference(entered).size > 0) yield ["totals", whole];
}

/** What of a page is compared with the touches of its subject. Can be written as JSON. */
export interface Standing {
  /** Of a page of a list with rows. */
  extent: Extent | null;
  /** Of a page of a list. */
  snapshot: Snapshot | null;
}

export function standingOf(shown: Shown): Standing {
  const { extent, snapshot } = shown.kind === "list" ? shown : { extent: null, snapshot: null };
  return { extent, snapshot };
}

/** What a change makes of a page: untrue, or a page whose list has grown by so many businesses. */
export function effectOf(
  { extent, snapshot }: Standing,
  { transaction, between, growth }: Touch,
): "untrue" | -1 | 0 | 1 {
  if (!between || !snapshot) return "untrue";
  if (sees(snapshot, transaction)) return 0;
  // A page behind the end shows no rows, and may get some when the list grows.
  const isTouched = extent ? reachesInto(extent, between) : growth !== 0;
  return isTouched ? "untrue" : growth;
}

function reachesInto(
  { firstRank, firstId, lastRank, lastId }: Extent,
  [low, high]: readonly [ListKey, ListKey],
): boolean {
  return (
    compare({ rank: lastRank, id: lastId }, low) >= 0 &&
    compare({ rank: firstRank, id: firstId }, high) <= 0
  );
}

/** Not by a template, whose string would be kept in parts. */
const listSubject = (category: number, city: number) => ["list", category, city].join(" ");

/** Of the lists that a business in this place is in. */
function subjectsOf(place: Place | null): Set<string> {
  const subjects = new Set<string>();
  if (!place) return subjects;
  for (const category of [0, ...place.categories]) {
    for (const city of [0, place.city]) subjects.add(listSubject(category, city));
  }
  return subjects;
}

/** Behind the rank of every business, and JSON can say it. */
export const LAST_RANK = Number.MAX_VALUE;

/** Behind all rows of a list. */
const END: ListKey = { rank: LAST_RANK, id: "" };

const inOrder = (one: ListKey, other: ListKey): [ListKey, ListKey] =>
  compare(one, other) <= 0 ? [one, other] : [other, one];

function compare(one: ListKey, other: ListKey): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
