import * as v from "valibot";
import { pageNumber } from "../http/parameters.ts";

/** A page number; 1 when it is absent, or when a form has sent it empty. */
export const optionalPage = v.pipe(
  v.optional(v.string(), ""),
  v.transform((text) => text || undefined),
  pageNumber,
);

/** Businesses on a page. */
export const PAGE_SIZE = 20;
