import type { Change, ListKey, Place } from "./announcements.ts";

/** What a page shows, which says what changes make it untrue. */
export type Shown =
  | { kind: "business"; slug: string }
  | { kind: "list"; scope: Scope; extent: Extent | null }
  | { kind: "totals" };

/** What a list is filtered by; 0 is any. */
export interface Scope {
  category: number;
  city: number;
}

/** The keys of the first and the last row of a page. */
export interface Extent {
  firstRank: number;
  firstId: string;
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

/** Pages that are no longer true: those of a subject, or of a list only those between two keys. */
export interface Touched {
  subject: string;
  /** Null: all of them. */
  between: [ListKey, ListKey] | null;
}

/**
 * What a change makes untrue. A business that comes into a list or leaves it changes the total on
 * each page of that list. One that stays changes the pages from its old to its new place: the rows
 * between have moved up or down by one, those outside have not.
 */
export function touchedBy({ slug, before, after }: Change): Touched[] {
  const touched: Touched[] = [{ subject: `business ${slug}`, between: null }];
  const left = subjectsOf(before);
  const entered = subjectsOf(after);
  const stayed = entered.intersection(left);
  for (const subject of left.symmetricDifference(entered)) touched.push({ subject, between: null });
  if (before && after) {
    const between = inOrder(before.key, after.key);
    for (const subject of stayed) touched.push({ subject, between });
  }
  if (stayed.size < left.size || stayed.size < entered.size) {
    touched.push({ subject: "totals", between: null });
  }
  return touched;
}

/** Whether a page has rows between these keys. */
export function reachesInto(extent: Extent | null, [low, high]: [ListKey, ListKey]): boolean {
  if (!extent) return false;
  const { firstRank, firstId, lastRank, lastId } = extent;
  return (
    compare({ rank: lastRank, id: lastId }, low) >= 0 &&
    compare({ rank: firstRank, id: firstId }, high) <= 0
  );
}

const listSubject = (category: number, city: number) => `list ${category} ${city}`;

/** Of the lists that a business in this place is in. */
function subjectsOf(place: Place | null): Set<string> {
  const subjects = new Set<string>();
  if (!place) return subjects;
  for (const category of [0, ...place.categories]) {
    for (const city of [0, place.city]) subjects.add(listSubject(category, city));
  }
  return subjects;
}

const inOrder = (one: ListKey, other: ListKey): [ListKey, ListKey] =>
  compare(one, other) <= 0 ? [one, other] : [other, one];

function compare(one: ListKey, other: ListKey): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
