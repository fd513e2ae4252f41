import type { Made, PageCache } from "../directory/page-cache.ts";
import type { Shown } from "../directory/touched.ts";
import { type Answer, ok } from "../http/answer.ts";
import { Representation } from "../http/representation.ts";

/** The finished answers that are kept. */
export type Answers = PageCache<Answer>;

/** 200 with a JSON body, to be kept as long as what it shows is true. */
export function kept(value: unknown, shows: Shown | null): Made<Answer> {
  const { status, headers, body: text } = ok(value);
  const body = new Representation(text);
  return { page: { status, headers, body }, shows, pack: () => body.pack().weight };
}
