import { ok } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import type { Sql } from "../store/postgres.ts";

/** GET /healthz, for whoever watches over the server: 200 while the directory can be read. */
export function health(sql: Sql): Handler {
  return async function health() {
    await sql`select 1`;
    return ok({ status: "ok" });
  };
}
