import { MeilisearchApiError, MeilisearchError, MeilisearchRequestError } from "meilisearch";
import { ConfigError } from "../../src/config.ts";
import { SearchTaskError } from "../../src/search/tasks.ts";
import { isCertificateRefused } from "../../src/store/away.ts";
import { UnsuitableDatabaseError } from "../../src/store/migrations.ts";
import { isPostgresAway } from "../../src/store/postgres-errors.ts";
import { print } from "./output.ts";

/** A fault that the user can fix: shown without a stack trace. */
export class CommandError extends Error {}

/**
 * Runs a command, or prints its usage for --help: exit code 1 on failure, with one clear line (or the
 * usage) on stderr. Bugs keep their stack trace.
 * @param usage also shown when `parseArgs` refuses an argument
 */
export async function runCommand(usage: string, command: () => Promise<void>): Promise<void> {
  // Not parseArgs, which would take the -1h of `--grace -1h` for -1 and -h.
  if (process.argv.some((given) => given === "--help" || given === "-h")) return void print(usage);
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    const told = isUnknownArgument(error) ? `${error.message}\n\n${usage}` : explain(error);
    // It may quote a file, whose control characters could do anything to a terminal.
    console.error(told?.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, " ") ?? error);
  }
}

function isUnknownArgument(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code));
}

/** What the user can do about it; null for a bug. */
function explain(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const {
    code = "",
    severity,
    message,
    cause,
  } = error as { code?: string; severity?: string; message: string; cause?: unknown };
  if (TELLING.some((kind) => error instanceof kind)) return message;
  if (/^(EACCES|EEXIST|EISDIR|ELOOP|ENAMETOOLONG|ENOENT|ENOTDIR|EPERM)/.test(code)) return message;
  if (/^(ENOSPC|EDQUOT)/.test(code)) {
    return `No space is left to write (${message}): free some, then try again.`;
  }
  if (code === "EROFS") {
    return `The destination is read-only (${message}): choose another folder, or make it writable.`;
  }
  if (OUT_OF_ROOM.has(code)) {
    return `PostgreSQL is out of disk space, memory or connections: ${message}. Free some, then try again.`;
  }
  if (LACKS_RIGHTS.has(code)) {
    return `PostgreSQL refuses: ${message}. The operators' guide says which rights the role of DATABASE_URL needs.`;
  }
  if (REFUSED.has(code) || (severity === "FATAL" && UNKNOWN_PARAMETER.has(code))) {
    return `PostgreSQL refuses: ${message}. Look at DATABASE_URL.`;
  }
  if (isCertificateRefused(error)) {
    return `A store's certificate is not trusted: ${message}. If its authority is your own, set NODE_EXTRA_CA_CERTS in the environment, not in .env, to the authority's certificate.`;
  }
  // So the driver fails where the server has no TLS: it goes on although PostgreSQL has said so.
  if (message.includes("before secure TLS connection")) {
    return `PostgreSQL broke off when TLS was to begin (${message}). If it offers none, leave sslmode out of DATABASE_URL.`;
  }
  if (code === BROKEN_OFF) {
    // The driver does not pass on what PostgreSQL said last. Nor does it tell that from a tunnel with nothing behind,
    // which accepts every connection and closes it.
    return `The connection to PostgreSQL was broken off (${message}). Is it running there? If it is, its log says why: if its role has a transaction_timeout, raise it; otherwise try again.`;
  }
  // After those, some of whose codes count as PostgreSQL being down: a server waits until that has
  // passed, but the user can do something about it.
  if (isPostgresAway(error) || /^(ECONN|ETIMEDOUT|CONNECT)/.test(code)) {
    return `Cannot reach a store: ${message || code}. Is it running?`;
  }
  if (code === QUERY_CANCELED) {
    return `PostgreSQL ended a statement early: ${message}. If its role has a statement_timeout, raise it.`;
  }
  if (code === LIMIT_EXCEEDED) {
    return `PostgreSQL refuses: ${message}. Raise that limit for its role.`;
  }
  if (IN_THE_WAY.has(code)) {
    return `A concurrent change was in the way, and PostgreSQL cancelled this one: ${message}. Try again.`;
  }
  if (code === RAISED) {
    // Of the errors that our triggers raise, a command can only meet the refusal of an isolation level.
    return `PostgreSQL refuses: ${message}. Reset default_transaction_isolation of its role or database.`;
  }
  if (error instanceof MeilisearchRequestError) {
    return `Cannot reach Meilisearch: ${message}. Is it running?`;
  }
  // What we send is well-formed. On a full disk, Meilisearch stores only part of it, and cannot parse that.
  if (error instanceof MeilisearchApiError && error.cause?.code === "malformed_payload") {
    return `Cannot bring search up to date: ${message} Is Meilisearch's disk full?`;
  }
  if (error instanceof MeilisearchError || error instanceof SearchTaskError) {
    return `Cannot bring search up to date: ${message}`;
  }
  // An error that wraps one of these says more about it.
  return cause !== undefined && explain(cause) !== null ? message : null;
}

/** Errors that say what to do themselves. */
const TELLING = [CommandError, ConfigError, UnsuitableDatabaseError];

// Codes of the driver, and of appendix A of PostgreSQL's manual.
const BROKEN_OFF = "CONNECTION_CLOSED";
const QUERY_CANCELED = "57014";
/** That of temp_file_limit. */
const LIMIT_EXCEEDED = "53400";
const RAISED = "P0001";
/** The disk is full, memory is, or there are too many connections. */
const OUT_OF_ROOM = new Set(["53100", "53200", "53300"]);
/** To what it uses, or to all schemas of its search_path. */
const LACKS_RIGHTS = new Set(["42501", "3F000"]);
/** A wrong account or password, no such database, a standby. */
const REFUSED = new Set(["28000", "28P01", "3D000", "25006"]);
/** One in the address that PostgreSQL does not have, or that has no such value. */
const UNKNOWN_PARAMETER = new Set(["42704", "22023"]);
/** A deadlock, a lock timeout, a city or category that is gone. */
const IN_THE_WAY = new Set(["40P01", "55P03", "23503"]);
