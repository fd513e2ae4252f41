import net from "node:net";
import postgres from "postgres";

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;

export interface PostgresOptions {
  /** Connections at most. */
  max?: number;
  /**
   * Plans each statement once for a connection: for a server, whose statements are few and whose
   * plans do not depend on the values. Planning a list takes longer than reading it.
   */
  keepsPlans?: boolean;
  /**
   * Cuts a connection on which nothing has come for so long, in milliseconds: more than any statement
   * takes. Its other end may have gone without a word, and TCP by itself would wait for a quarter of
   * an hour. Not with TLS, where the silence of the socket below says nothing certain.
   */
  longestSilenceMs?: number;
}

/**
 * Opens a pool of connections to PostgreSQL. Connects on first use. The driver is patched (see patches/):
 * as published, statements under way as a connection breaks off may wait for ever, the connection may
 * never work again, and what is left of a transaction may run in the next one. It connects without end
 * and without a pause to who closes at once, asks anew with each attempt for all that listens, and never
 * again for what a standby has refused.
 */
export function openPostgres(
  url: string,
  { max = 10, keepsPlans = false, longestSilenceMs }: PostgresOptions = {},
): Sql {
  const options = {
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
  };
  const sql = postgres(url, options);
  if (longestSilenceMs === undefined || sql.options.ssl) return sql;
  return postgres(url, {
    ...options,
    // Seconds: what is idle is closed in order, before it would be cut.
    idle_timeout: longestSilenceMs / 2_000,
    socket: cutWhenSilent(longestSilenceMs),
  } as typeof options);
}

/** How the driver connects, to one of the hosts after the other. */
function cutWhenSilent(milliseconds: number) {
  let attempts = 0;
  return function connect({ host, port, path }: { host: string[]; port: number[]; path?: string }) {
    const place = attempts++ % host.length;
    const socket = net.connect(
      path ? { path } : { host: host[place], port: port[place] as number },
    );
    const silence = new Error(`PostgreSQL has said nothing for ${milliseconds / 1_000} seconds`);
    socket.setTimeout(milliseconds, () => {
      socket.destroy(Object.assign(silence, { code: "ETIMEDOUT" }));
    });
    return socket;
  };
}

/** @throws when PostgreSQL cannot be asked */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
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
