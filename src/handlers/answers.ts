import type { Made, PageCache, PageCacheOptions } from "../directory/page-cache.ts";
import type { Shown } from "../directory/touched.ts";
import { type FinishedAnswer, ok } from "../http/answer.ts";
import { Representation } from "../http/representation.ts";

/** The finished answers that are kept. */
export type Answers = PageCache<KeptAnswer>;

interface KeptAnswer extends FinishedAnswer {
  /** Of a page of a list. */
  list?: PageOfList;
}

/** What a page of a list says beside its rows comes from these. */
export interface PageOfList {
  total: number;
  page: number;
  limit: number;
  /** The members of the body that follow its rows. */
  rest(list: PageOfList): object;
}

/** 200 with a JSON body, to be kept as long as what it shows is true. */
export function kept(value: unknown, shows: Shown): Made<KeptAnswer> {
  const { body, ...answer } = ok(value);
  return { page: { ...answer, body: new Representation(body) }, shows };
}

/** The same for a page of a list: its rows under their name, then what goes with their number. */
export function keptList(
  rows: Readonly<Record<string, readonly unknown[]>>,
  list: PageOfList,
  shows: Shown | null,
): Made<KeptAnswer> {
  const { body, ...answer } = ok(rows);
  const start = body.slice(0, -1);
  return { page: { ...answer, body: new Representation(start, endOf(list)), list }, shows };
}

/** What the cache does with kept answers. */
export const keptAnswers: Pick<PageCacheOptions<KeptAnswer>, "pack" | "grow"> = {
  pack: ({ body }) => body.pack().weight,
  grow(answer, growth) {
    if (!answer.list) throw new Error("what is no list does not grow");
    const list = { ...answer.list, total: answer.list.total + growth };
    return { ...answer, body: answer.body.withEnd(endOf(list)), list };
  },
};

const endOf = (list: PageOfList) => `,${JSON.stringify(list.rest(list)).slice(1)}`;
