import type { Made, PageCache } from "../directory/page-cache.ts";
import type { Shown } from "../directory/touched.ts";
import { type Answer, ok } from "../http/answer.ts";
import { Representation } from "../http/representation.ts";

/** The finished answers that are kept. */
export type Answers = PageCache<Answer>;

/** 200 with a JSON body, to be kept as long as what it shows is true. */
export function kept(value: unknown, shows: Shown | null): Made<Answer> {
  const answer = ok(value);
  const body = new Representation(String(answer.body));
  // Once and again: its coded forms together weigh less than it does.
  return { page: { ...answer, body }, size: 2 * body.size, shows };
}
