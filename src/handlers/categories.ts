import { listCategories } from "../directory/categories.ts";
import type { CategoryList } from "../directory/schemas.ts";
import type { Handler } from "../http/handler.ts";
import { kept } from "./answer-cache.ts";
import type { Source } from "./businesses.ts";

/** GET /api/v1/categories. */
export function categories({ sql, cache }: Source): Handler {
  return () =>
    cache.findOrMake("categories", async () => {
      const list: CategoryList = { data: await listCategories(sql) };
      return kept(list, { kind: "totals" });
    });
}
