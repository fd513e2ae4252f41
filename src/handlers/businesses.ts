import { type Business, findBusinesses } from "../directory/businesses.ts";
import type { ListedBusiness } from "../directory/listed.ts";
import { type ListQuery, listPages } from "../directory/listing.ts";
import type { KeyedBusiness } from "../directory/schemas.ts";
import { keyedDetail, keyedListItem, openDetail, openListItem } from "../directory/shapes.ts";
import { type Answer, finished } from "../http/answer.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import {
  pageNumber,
  parseQuery,
  parseSlug,
  resultCount,
  slugFilter,
  type Values,
  writeQuery,
} from "../http/parameters.ts";
import { LONGEST_HANDLING_MS } from "../middleware/answerInTime.ts";
import { batched } from "../store/batches.ts";
import type { Sql } from "../store/postgres.ts";
import { type AnswerCache, kept, keptList, type PageRows } from "./answer-cache.ts";

/** Where businesses are read from. */
export interface Source {
  sql: Sql;
  cache: AnswerCache;
}

/** What lists and searches can be narrowed to. */
export const filters = {
  city: slugFilter({ description: "Only businesses of this city, by its slug.", example: "leeds" }),
  category: slugFilter({
    description: "Only businesses of this category and all below it, by its slug.",
    example: "plumbers",
  }),
};
const listParameters = { ...filters, page: pageNumber };
export const openListParameters = {
  ...listParameters,
  limit: resultCount(20),
};
export const keyedListParameters = {
  ...listParameters,
  per_page: resultCount(100),
};

/** GET /api/v1/businesses in open access. */
export function listOpen(source: Source): Handler {
  const rowsOf = (businesses: ListedBusiness[]) => ({ businesses: businesses.map(openListItem) });
  return list(source, "open", openListParameters, ({ limit }) => limit, rowsOf);
}

/** GET /api/v1/businesses in keyed access. */
export function listKeyed(source: Source): Handler {
  const rowsOf = (businesses: ListedBusiness[]) => ({ data: businesses.map(keyedListItem) });
  return list(source, "keyed", keyedListParameters, ({ per_page }) => per_page, rowsOf);
}

/** GET /api/v1/businesses/{slug} in open access. */
export function showOpen(source: Source): Handler {
  return show(source, "open", openDetail);
}

/** GET /api/v1/businesses/{slug} in keyed access. */
export function showKeyed(source: Source): Handler {
  return show(source, "keyed", (business): KeyedBusiness => ({ data: keyedDetail(business) }));
}

/** A list, cached under its canonical query: the parameters in order, without defaults. */
function list<Given extends typeof listParameters>(
  { sql, cache }: Source,
  access: "open" | "keyed",
  parameters: Given,
  limitOf: (values: Values<Given>) => number,
  rowsOf: (businesses: ListedBusiness[]) => PageRows,
): Handler {
  const find = batched((queries: ListQuery[]) => listPages(sql, queries), {
    batchSize: LIST_BATCH_SIZE,
    concurrency: CONCURRENT_QUERIES,
    deadlineOf: () => performance.now() + LONGEST_HANDLING_MS,
  });
  const nameOf = (query: string) => `${access} list?${query}`;

  async function make(values: Values<Given>) {
    const { city, category, page }: Values<typeof listParameters> = values;
    const limit = limitOf(values);
    const found = await find({ city, category, offset: (page - 1) * limit, limit });
    const { total, shows } = found;
    return keptList(rowsOf(found.businesses), { access, total, page, limit }, shows);
  }

  return function list(_request, { query }) {
    // A query that arrives in canonical form needs no parsing. Only lists whose slugs exist are cached, so no
    // cached query is ambiguous.
    const known = cache.find(nameOf(query));
    if (known) return known;
    const parsed = parseQuery(query, parameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const name = nameOf(writeQuery(parsed.value, parameters));
    return cache.findOrMake(name, () => make(parsed.value));
  };
}

function show(
  { sql, cache }: Source,
  access: "open" | "keyed",
  shape: (business: Business) => unknown,
): Handler {
  const nameOf = (slug: string) => `${access} detail/${slug}`;
  const find = batched((slugs: string[]) => findBusinesses(sql, slugs), {
    batchSize: DETAIL_BATCH_SIZE,
    concurrency: CONCURRENT_QUERIES,
    deadlineOf: () => performance.now() + LONGEST_HANDLING_MS,
  });
  return function show(_request, { segment }): Answer | Promise<Answer> {
    const known = cache.find(nameOf(segment));
    if (known) return known;
    const slug = parseSlug(segment);
    if (!slug.ok) return invalidParameter(slug.fault);
    return cache.findOrMake(nameOf(slug.value), async () => {
      const business = await find(slug.value);
      if (!business) return { page: finished(notFound()), shows: null };
      return kept(shape(business), { kind: "business", slug: business.slug });
    });
  };
}

// The most items that one query asks for.
const LIST_BATCH_SIZE = 16;
const DETAIL_BATCH_SIZE = 64;

/**
 * Queries in flight: more than there are connections. While the database is down, whatever else is asked
 * waits here, is batched, and is dropped once its callers have left; in the driver it would stay queued.
 */
const CONCURRENT_QUERIES = 32;
