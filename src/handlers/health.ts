import type { Admission } from "../access/admission.ts";
import { ok } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import { ping, type Sql } from "../store/postgres.ts";

/**
 * GET /healthz, for health checks: 200 while the directory can be read. Says, for the process that answers,
 * who decides about admission, and how many outages of Redis there were.
 */
export function health(sql: Sql, admission: Admission): Handler {
  let pinging: Promise<void> | undefined;
  return async function health() {
    // Shared by concurrent requests. They have no rate limit, so while the database is down, separate queries
    // would pile up.
    pinging ??= ping(sql).finally(() => {
      pinging = undefined;
    });
    await pinging;
    const { isLocal, outages } = admission.state();
    return ok({ status: "ok", admission: { decidedBy: isLocal ? "server" : "redis", outages } });
  };
}
