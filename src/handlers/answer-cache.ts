import type { Made, Packing, PageCache } from "../directory/page-cache.ts";
import type { KeyedPage, OpenPage } from "../directory/schemas.ts";
import { pageMeta } from "../directory/shapes.ts";
import type { Shown } from "../directory/touched.ts";
import { type FinishedAnswer, finished, ok, okFinished } from "../http/answer.ts";
import { Representation } from "../http/representation.ts";

/** Finished answers, each cached for as long as what it shows is true. */
export type AnswerCache = PageCache<KeptAnswer>;

interface KeptAnswer extends FinishedAnswer {
  /** What `pack` needs of a newly made page of a list; absent from other answers. */
  list?: PageOfList;
}

/** Whatever a page of a list says beside its rows follows from these. */
export interface PageOfList {
  access: "open" | "keyed";
  total: number;
  page: number;
  limit: number;
}

/** 200 with a JSON body, to be cached as long as what it shows is true. */
export function kept(value: unknown, shows: Shown): Made<KeptAnswer> {
  return { page: finished(ok(value)), shows };
}

/** The rows of a page, under their name. */
export type PageRows = Pick<OpenPage, "businesses"> | Pick<KeyedPage, "data">;

/** The same for a page of a list: its rows, then its totals. */
export function keptList(rows: PageRows, list: PageOfList, shows: Shown | null): Made<KeptAnswer> {
  const body = JSON.stringify(rows).slice(0, -1) + endOf(list);
  return { page: { ...okFinished(Representation.of(body)), list }, shows };
}

/** How the cache stores an answer, restores it, and corrects the total of a list. */
export const keptAnswers: Packing<KeptAnswer, PageOfList | null> = {
  pack: ({ body, list = null }) => ({
    bytes: body.bytes("identity"),
    tag: body.tag("identity"),
    rest: list,
  }),
  unpack: (stored) => okFinished(new Representation(stored)),
  grow(stored, before, growth) {
    if (!before) throw new Error("only a list can grow");
    const list = { ...before, total: before.total + growth };
    const rows = stored.bytes().subarray(0, -endOf(before).length);
    const body = Buffer.concat([rows, Buffer.from(endOf(list))]);
    return { ...okFinished(Representation.of(body)), list };
  },
};

/** What follows the rows in the body. It is ASCII, so its length is also its number of bytes. */
function endOf({ access, total, page, limit }: PageOfList): string {
  const rest: Omit<OpenPage, "businesses"> | Omit<KeyedPage, "data"> =
    access === "open"
      ? { total, page, pages: Math.ceil(total / limit) }
      : { meta: pageMeta(page, limit, total) };
  return `,${JSON.stringify(rest).slice(1)}`;
}
