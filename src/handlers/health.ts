import type { Admission } from "../access/admission.ts";
import { ok } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import { batched } from "../store/batches.ts";
import { ping, type Sql } from "../store/postgres.ts";

/**
 * GET /healthz, for health checks: 200 while the directory can be read. Says, for the process that answers,
 * who decides about admission, and how many outages of Redis there were.
 */
export function health(sql: Sql, admission: Admission): Handler {
  // Concurrent requests share one query. They have no rate limit, so while the database is down, separate
  // queries would pile up.
  const askOnce = batched(
    async (askers: null[]) => {
      await ping(sql);
      return askers;
    },
    { batchSize: MOST_ASKERS, concurrency: 1 },
  );
  return async function health() {
    await askOnce(null);
    const { isLocal, outages } = admission.state();
    return ok({ status: "ok", admission: { decidedBy: isLocal ? "server" : "redis", outages } });
  };
}

const MOST_ASKERS = 1_000;
