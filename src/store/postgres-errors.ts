/** Whether an error means that PostgreSQL cannot be reached or is going down, not that a query is wrong. */
export function isPostgresAway(error: unknown): boolean {
  const code = codeOf(error);
  return AWAY.has(code) || code.startsWith("08") || isSocketMissing(error);
}

/** Whether a query, or its wait for a lock, was ended by a timeout or by an operator. */
export function isPostgresSlow(error: unknown): boolean {
  return SLOW.has(codeOf(error));
}

/** Whether PostgreSQL is there but cannot do anything for us, until its operator has done something for it. */
export function isPostgresUnusable(error: unknown): boolean {
  return UNUSABLE.has(codeOf(error));
}

/** Whether a Unix socket is missing. Any other missing file says nothing about PostgreSQL. */
function isSocketMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" && (error as { syscall?: unknown }).syscall === "connect";
}

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? "");

/**
 * Codes of the driver, of the operating system, and of PostgreSQL (appendix A of its manual): shutting down
 * or starting up, too many connections, read-only since it became a standby.
 */
const AWAY = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
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

/** Codes of PostgreSQL for a query that was cancelled, and for a lock that was not free in time. */
const SLOW = new Set(["57014", "55P03"]);

/**
 * Codes of PostgreSQL for a full disk, for too little memory, and for refusing a connection: an account that it does
 * not let in, a wrong password, a database that is gone.
 */
const UNUSABLE = new Set(["53100", "53200", "28000", "28P01", "3D000"]);
