import { listCategories } from "../directory/categories.ts";
import type { CategoryList } from "../directory/schemas.ts";
import { ok } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import type { Sql } from "../store/postgres.ts";

/** GET /api/v1/categories. */
export function categories(sql: Sql): Handler {
  return async function categories() {
    return ok({ data: await listCategories(sql) } satisfies CategoryList);
  };
}
