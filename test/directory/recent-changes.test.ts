import { expect, test } from "bun:test";
import type { Change } from "../../src/directory/announcements.ts";
import { RecentChanges } from "../../src/directory/recent-changes.ts";

const renamed = (slug: string, transaction: number): Change => {
  const place = { categories: [1, 2], city: 3, key: { rank: 5, id: "" } };
  return { transaction, slug, before: place, after: place };
};
const subject = "business corner-shop";

test("reports what has touched a subject since it was read, in order", () => {
  const recent = new RecentChanges();
  recent.tell([renamed("corner-shop", 1), renamed("other-shop", 2)]);
  const seen = recent.latest;
  expect(recent.since(seen, subject)).toEqual([]);
  recent.tell([renamed("other-shop", 3)]);
  recent.tell([renamed("corner-shop", 4), renamed("corner-shop", 5)]);
  recent.tell([renamed("corner-shop", 6)]);
  const transactions = recent.since(seen, subject)?.map(({ transaction }) => transaction);
  expect(transactions).toEqual([4, 5, 6]);
});

test("knows the latest changes, and that it no longer knows the earlier ones", () => {
  const recent = new RecentChanges();
  let isForgotten = false;
  for (let transaction = 1; transaction <= 60_000; transaction++) {
    recent.tell([renamed("corner-shop", transaction)]);
    if (transaction % 3_000 !== 0) continue;
    for (const missed of [0, 1, 1_000, 10_000, 15_000, 50_000]) {
      if (missed >= transaction) continue;
      const known = recent.since(transaction - missed, subject)?.length;
      if (missed > 1_000) expect([missed, undefined]).toContain(known);
      else expect(known).toBe(missed);
      isForgotten ||= known === undefined;
    }
  }
  expect(isForgotten).toBe(true);
});

test("knows nothing from before everything changed", () => {
  const recent = new RecentChanges();
  recent.tell([renamed("corner-shop", 1)]);
  const seen = recent.latest;
  recent.forget();
  expect(recent.since(seen, subject)).toBeNull();
  expect(recent.since(recent.latest, subject)).toEqual([]);
  // Nor once more has changed than it remembers.
  recent.tell(Array.from({ length: 10_000 }, (_, number) => renamed("corner-shop", number)));
  expect(recent.since(seen, subject)).toBeNull();
});
