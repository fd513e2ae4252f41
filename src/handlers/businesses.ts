import { findBusiness } from "../directory/businesses.ts";
import { listBusinesses } from "../directory/listing.ts";
import type { KeyedBusiness, KeyedPage, OpenPage } from "../directory/schemas.ts";
import { keyedDetail, keyedListItem, openDetail, openListItem } from "../directory/shapes.ts";
import { ok } from "../http/answer.ts";
import { invalidParameter, notFound } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery, parseSlug, resultCount, slugFilter } from "../http/parameters.ts";
import type { Sql } from "../store/postgres.ts";

const filters = {
  city: slugFilter({ description: "Only businesses of this city, by its slug.", example: "leeds" }),
  category: slugFilter({
    description: "Only businesses of this category and all below it, by its slug.",
    example: "plumbers",
  }),
  page: pageNumber,
};
export const openListParameters = { ...filters, limit: resultCount({ standard: 20, maximum: 20 }) };
export const keyedListParameters = {
  ...filters,
  per_page: resultCount({ standard: 20, maximum: 100 }),
};

/** GET /api/v1/businesses in open access. */
export function listOpen(sql: Sql): Handler {
  return async function listOpen(_request, { query }) {
    const parsed = parseQuery(query, openListParameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { city, category, page, limit } = parsed.value;
    const offset = (page - 1) * limit;
    const { total, businesses } = await listBusinesses(sql, { city, category, offset, limit });
    return ok({
      businesses: businesses.map(openListItem),
      total,
      page,
      pages: Math.ceil(total / limit),
    } satisfies OpenPage);
  };
}

/** GET /api/v1/businesses in keyed access. */
export function listKeyed(sql: Sql): Handler {
  return async function listKeyed(_request, { query }) {
    const parsed = parseQuery(query, keyedListParameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { city, category, page, per_page } = parsed.value;
    const offset = (page - 1) * per_page;
    const { total, businesses } = await listBusinesses(sql, {
      city,
      category,
      offset,
      limit: per_page,
    });
    return ok({
      data: businesses.map(keyedListItem),
      meta: { page, per_page, total, has_more: page * per_page < total },
    } satisfies KeyedPage);
  };
}

/** GET /api/v1/businesses/{slug} in open access. */
export function showOpen(sql: Sql): Handler {
  return async function showOpen(_request, { segment }) {
    const slug = parseSlug(segment);
    if (!slug.ok) return invalidParameter(slug.fault);
    const business = await findBusiness(sql, slug.value);
    return business ? ok(openDetail(business)) : notFound();
  };
}

/** GET /api/v1/businesses/{slug} in keyed access. */
export function showKeyed(sql: Sql): Handler {
  return async function showKeyed(_request, { segment }) {
    const slug = parseSlug(segment);
    if (!slug.ok) return invalidParameter(slug.fault);
    const business = await findBusiness(sql, slug.value);
    return business ? ok({ data: keyedDetail(business) } satisfies KeyedBusiness) : notFound();
  };
}
