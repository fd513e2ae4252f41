import postgres from "postgres";

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;

/**
 * Opens a pool of connections to PostgreSQL. Connects on first use.
 * @param options.keepsPlans plans each statement once for a connection: for a server, whose
 *   statements are few and whose plans do not depend on the values. Planning a list takes longer
 *   than reading it.
 */
export function openPostgres(url: string, { max = 10, keepsPlans = false } = {}): Sql {
  return postgres(url, {
    max,
    connect_timeout: 5,
    // Seconds between attempts. The driver's own way grows to 20, and queries wait for it.
    backoff: () => 0.25,
    // NOTICE is for people at a terminal; as lines on stdout it would break --json.
    onnotice: () => {},
    connection: {
      application_name: "highstreet",
      ...(keepsPlans && { plan_cache_mode: "force_generic_plan" }),
    },
  });
}

/** Whether an error means that PostgreSQL cannot be reached or is going down, not that a query is wrong. */
export function isPostgresAway(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (AWAY.has(code) || code.startsWith("08"));
}

/**
 * Codes of the driver, of the operating system, and of PostgreSQL (appendix A of its manual): being
 * shut down or started, too many connections, read-only after a change of roles.
 */
const AWAY = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "25006",
]);
