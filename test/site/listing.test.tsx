import { expect, test } from "bun:test";
import { renderToString } from "preact-render-to-string";
import { Paging } from "../../src/site/listing.tsx";

for (const [page, pages, shown] of [
  [1, 1, ""],
  [1, 2, "1 2"],
  [4, 7, "1 2 3 4 5 6 7"],
  [5, 8, "1 … 3 4 5 6 7 8"],
  [1, 1_234, "1 2 3 … 1,234"],
  [600, 1_234, "1 … 598 599 600 601 602 … 1,234"],
] as const) {
  test(`page ${page} of ${pages} links to ${shown || "no page"}`, () => {
    const paging = <Paging page={page} pages={pages} linkTo={(number) => `/?page=${number}`} />;
    const items = renderToString(paging).matchAll(
      /<li class(?:="(gap)?")?><a [^>]*><span class="unseen">Page <\/span>([\d,]+)<\/a><\/li>/g,
    );
    const texts = Array.from(items, ([, gap, number]) => (gap ? `… ${number}` : number));
    expect(texts.join(" ")).toBe(shown);
  });
}
