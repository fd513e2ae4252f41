import { describe, expect, test } from "bun:test";
import { openDirectory } from "./directory.ts";

const { sql, sync, search, names, withMore } = await openDirectory();

describe("order and totals", () => {
  test("the total counts all matches, whatever the page", async () => {
    const pages = await Promise.all(
      [0, 1, 2, 3, 4].map((offset) => search("twin tyres", { limit: 1, offset })),
    );
    expect(pages.map((page) => page.items.map((item) => item.slug))).toEqual([
      ["t-0"],
      ["t-1"],
      ["t-2"],
      ["t-3"],
      [],
    ]);
    expect(pages.map((page) => page.total)).toEqual([4, 4, 4, 4, 4]);
  });

  test("a city and a category filter the results, a category with its descendants", async () => {
    const found = async (more: { city?: string; category?: string }) =>
      (await search("pharmacy", more)).total;
    expect(await found({})).toBe(3);
    expect(await found({ city: "leeds" })).toBe(1);
    expect(await found({ category: "health-and-medical" })).toBe(3);
    expect(await found({ category: "health-and-medical", city: "leeds" })).toBe(1);
    expect(await found({ category: "plumbers" })).toBe(0);
    expect(await found({ city: 'leeds" OR citySlug != "x' })).toBe(0);
  });
});

describe("while the index lags", () => {
  test("businesses that are no longer approved are not shown, and the next ones take their place", async () => {
    const setStatus = (slug: string, status: string) =>
      sql`update businesses set status = ${status} where slug = ${slug}`;
    await setStatus("t-1", "suspended");
    const { items, total } = await search("twin tyres", { limit: 2 });
    expect(items.map((item) => item.slug)).toEqual(["t-0", "t-2"]);
    expect(total).toBe(3);
    const fewer = await search("emergency twin tyres", { limit: 2 });
    expect(fewer).toEqual({ items, total, instead: "twin tyres" });
    // One on the page, and one of those that would take its place.
    await setStatus("t-3", "suspended");
    expect((await search("twin tyres", { limit: 2 })).total).toBe(2);
    const last = await search("twin tyres", { limit: 1, offset: 3 });
    expect(last).toEqual({ items: [], total: 3, instead: null });
    await setStatus("t-1", "approved");
    await setStatus("t-3", "approved");
    await setStatus("t-2", "suspended");
    const later = await search("twin tyres", { limit: 1, offset: 2 });
    expect(later.items.map((item) => item.slug)).toEqual(["t-3"]);
    await setStatus("t-2", "approved");
  });

  test("a search whose only matches are no longer approved finds what it will once the index has caught up", async () => {
    await using _ = await withMore([
      { name: "Quagga Quill", city: "York", postcode: "YO1 7AA", slug: "quagga-york" },
      { name: "Quagga Quill", city: "Leeds", postcode: "LS1 6HD", slug: "quagga-leeds" },
      { name: "Quokka", city: "Leeds", postcode: "LS1 6HD", slug: "quokka" },
    ]);
    await sql`update businesses set status = 'suspended' where slug in ('quagga-york', 'quokka')`;
    // Of the last step of the second and third, one query finds nothing any more, and the other something.
    const texts = ["quagga quill york", "quokka quagga", "quagga quokka", "quokka"];
    const answers = () => Promise.all(texts.map((text) => search(text)));
    const before = await answers();
    await sync();
    expect(before).toEqual(await answers());
    expect(before.map(({ total }) => total)).toEqual([1, 1, 1, 0]);
  });

  test("a pending business is not found", async () => {
    expect(await names("nib supplies")).not.toContain("Nib Supplies");
  });
});
