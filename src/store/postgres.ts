import net from "node:net";
import postgres from "postgres";
import { DeadlineError } from "./deadline.ts";
import { isPostgresAway } from "./postgres-errors.ts";

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
   * Cuts a connection on which nothing has arrived for so many milliseconds, which must be more than any
   * statement takes. Its other end may have gone without a word, and TCP itself would wait a quarter of
   * an hour. Has no effect with TLS, where silence on the socket below means nothing certain, nor on a
   * Unix socket, whose other end is on this machine and cannot go like that.
   */
  longestSilenceMs?: number;
  /**
   * Ends a statement after so many milliseconds: for what callers wait for. When they have given up, it must
   * not be done after all, as when it has waited for a lock, nor hold a connection any longer.
   */
  longestStatementMs?: number;
}

/**
 * Opens a pool of connections to PostgreSQL. Connects on first use. End it, or dispose of it, to close it.
 *
 * The driver is patched (see patches/ beside this). As published, it has these faults:
 * - When a connection breaks, statements under way may wait for ever, the connection may never work again,
 *   and the rest of a transaction may run in the next one.
 * - To a server that closes at once it reconnects endlessly, without a pause.
 * - When a statement fails after its first rows, as by a time limit, the next answer begins with as many empty places.
 * - It repeats every LISTEN with each attempt to reconnect, but not one that a standby has refused.
 */
export function openPostgres(
  url: string,
  { max = 10, keepsPlans = false, longestSilenceMs, longestStatementMs }: PostgresOptions = {},
): Sql & AsyncDisposable {
  const options = {
    max,
    connect_timeout: 5,
    // Seconds between attempts to connect. Those of the driver grow to 20, and queries would wait for them.
    backoff: () => 0.25,
    // NOTICE is for people at a terminal; as lines on stdout it would break --json.
    onnotice: () => {},
    connection: {
      application_name: "highstreet",
      // A plan for all values is estimated for whole lists, although a page is read. In a directory of
      // millions it then seems costly enough for JIT, which compiles it again for each statement: that takes
      // many times as long as the work.
      ...(keepsPlans && { plan_cache_mode: "force_generic_plan", jit: "off" }),
      ...(longestStatementMs !== undefined && { statement_timeout: longestStatementMs }),
    },
  };
  // Connects only when something is asked of it. Until then, its options say what the URL means.
  const sql = postgres(url, options);
  if (longestSilenceMs === undefined || sql.options.ssl || sql.options.path) {
    return disposable(sql);
  }
  const cutting = {
    ...options,
    // Seconds: idle connections are closed in order, before they would be cut.
    idle_timeout: longestSilenceMs / 2_000,
    socket: cutWhenSilent(longestSilenceMs),
  };
  return disposable(postgres(url, cutting as typeof options));
}

const disposable = (sql: Sql): Sql & AsyncDisposable =>
  Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) });

/** Makes sockets for the driver. Its options have a list of hosts, of which loadConfig lets one through. */
function cutWhenSilent(milliseconds: number) {
  return function connect({ host: [host], port: [port] }: { host: [string]; port: [number] }) {
    const socket = new net.Socket();
    // Not before the driver listens: without a route or a free descriptor it fails at once, and an error that
    // nobody listens for ends the process.
    setImmediate(() => socket.connect({ host, port }));
    // From these the driver takes the address in its error when connecting takes too long.
    Object.assign(socket, { host, port });
    const silence = new Error(`PostgreSQL has said nothing for ${milliseconds / 1_000} seconds`);
    socket.setTimeout(milliseconds, () => {
      socket.destroy(Object.assign(silence, { code: "ETIMEDOUT" }));
    });
    return socket;
  };
}

/**
 * Hears what is announced on a channel.
 * @param onListening called now and after each reconnection, since what was announced before has gone unheard
 * @returns stops hearing. A connection that is lost hears nothing either, so that is no failure.
 */
export async function listenTo(
  sql: Sql,
  channel: string,
  hear: (payload: string) => void,
  onListening?: () => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(channel, hear, onListening);
  return async () => {
    await unlisten().catch((error) => {
      if (!isPostgresAway(error)) throw error;
    });
  };
}

/**
 * Does in a transaction what nobody may find done after they have given up waiting. PostgreSQL itself counts
 * only from the start of a statement, which may have had to wait for a connection.
 * @param end on the clock of `performance`
 * @throws DeadlineError when it has passed before there was a connection, or before the work was done; the error
 *   of PostgreSQL when a statement takes longer than was left, or the commit waits for longer
 */
export async function doBefore<Result>(
  sql: Sql,
  end: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const done = await sql.begin(async (transaction) => {
    const left = Math.floor(end - performance.now());
    if (left <= 0) throw new DeadlineError("no connection to PostgreSQL in time");
    await transaction`select set_config('statement_timeout', ${String(left)}, true)`;
    const result = await work(transaction);
    // The commit is not limited like a statement, and when something is announced it waits for other commits.
    const rest = Math.max(1, Math.floor(end - performance.now()));
    await transaction`select set_config('lock_timeout', ${String(rest)}, true)`;
    // Each of several statements may take what was left at first, and the last answer may be long on its way.
    if (performance.now() >= end) throw new DeadlineError("PostgreSQL has answered too late");
    return result;
  });
  return done as Result;
}

/**
 * For a transaction that is meant to be long: lifts the time limits that its role or database may have for
 * all others, as pg_dump does for its own.
 */
export async function liftTimeLimits(transaction: Transaction): Promise<void> {
  await transaction`
    select set_config(name, '0', true)
    from unnest(array[
      'lock_timeout', 'statement_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout']) as name`;
}

/** @throws when PostgreSQL cannot be asked */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
