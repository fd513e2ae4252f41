import { listCities } from "../directory/cities.ts";
import type { CityList } from "../directory/schemas.ts";
import { pageMeta } from "../directory/shapes.ts";
import { invalidParameter } from "../http/errors.ts";
import type { Handler } from "../http/handler.ts";
import { pageNumber, parseQuery, resultCount, writeQuery } from "../http/parameters.ts";
import { kept } from "./answer-cache.ts";
import type { Source } from "./businesses.ts";

export const cityListParameters = {
  page: pageNumber,
  per_page: resultCount(100),
};

/** GET /api/v1/cities. */
export function cities({ sql, cache }: Source): Handler {
  return function cities(_request, { query }) {
    const parsed = parseQuery(query, cityListParameters);
    if (!parsed.ok) return invalidParameter(parsed.fault);
    const { page, per_page } = parsed.value;
    return cache.findOrMake(`cities?${writeQuery(parsed.value, cityListParameters)}`, async () => {
      const found = await listCities(sql, { offset: (page - 1) * per_page, limit: per_page });
      const meta = pageMeta(page, per_page, found.total);
      return kept({ data: found.cities, meta } satisfies CityList, { kind: "totals" });
    });
  };
}
