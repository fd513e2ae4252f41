import type { SearchResults } from "../directory/schemas.ts";
import { keyedListItem } from "../directory/shapes.ts";
import { ok } from "../http/answer.ts";
import { invalidParameter } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { parseQuery, resultCount, searchText } from "../http/parameters.ts";
import type { Search } from "../search/query.ts";
import { filters } from "./businesses.ts";

export const searchParameters = {
  q: searchText,
  ...filters,
  limit: resultCount(100),
};

/** GET /api/v1/search. */
export function search(searchBusinesses: Search): Handler {
  return async function search(_request, { query }) {
    const parsed = parseQuery(query, searchParameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { q, limit, city, category } = parsed.value;
    const { items, total } = await searchBusinesses({ text: q, limit, city, category });
    const meta = { query: q, limit, total };
    return ok({ data: items.map(keyedListItem), meta } satisfies SearchResults);
  };
}
