import { expect, test } from "bun:test";
import type { KeyedPage, OpenPage } from "../../src/directory/schemas.ts";
import { keptAnswers, keptList, type PageOfList } from "../../src/handlers/answer-cache.ts";

const items = [{ name: "Caffè Nero" }, { name: "Zoë's" }];
const rows = {
  open: { businesses: items as unknown as OpenPage["businesses"] },
  keyed: { data: items as unknown as KeyedPage["data"] },
};

/** The answer for a page as made now, and as grown from what was cached of it. */
const made = (list: PageOfList) => keptList(rows[list.access], list, null).page;
function grown(list: PageOfList, growth: number) {
  const { bytes, tag, rest } = keptAnswers.pack(made(list));
  const stored = {
    tag,
    size: bytes.byteLength,
    bytes: () => bytes,
    findForm: () => undefined,
    keepForm() {},
  };
  return keptAnswers.grow(stored, JSON.parse(JSON.stringify(rest)), growth);
}

const LIMIT = 2;
for (const access of ["open", "keyed"] as const) {
  test(`in ${access} access a grown page of a list equals the page that would be made now`, () => {
    const ends = new Set<string>();
    for (const total of [2, 9, 10, 99, 100, 999_999]) {
      for (const page of [1, Math.ceil(total / LIMIT)]) {
        for (const growth of [-1, 1, 11]) {
          const list = { access, total, page, limit: LIMIT };
          const now = made({ ...list, total: total + growth });
          const before = grown(list, growth);
          expect(String(before.body)).toBe(String(now.body));
          expect(before.body.tag("gzip")).toBe(now.body.tag("gzip"));
          expect(before.list).toEqual(now.list as PageOfList);
          expect(JSON.parse(String(before.body))).toMatchObject(rows[access]);
          ends.add(String(before.body));
        }
      }
    }
    expect(ends.size).toBeGreaterThan(20);
  });
}
