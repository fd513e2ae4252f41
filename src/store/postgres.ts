import net from "node:net";
import postgres from "postgres";
import { DeadlineError } from "./deadline.ts";
import { isPostgresAway } from "./postgres-errors.ts";

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;

export interface PostgresOptions {
  /** Size of the pool. */
  max?: number;
  /**
   * Plans each statement once per connection: for a server, whose statements are few, with plans that do not
   * depend on the values. Planning a list takes longer than reading it.
   */
  keepsPlans?: boolean;
  /**
   * Drops a connection on which nothing has arrived for this many milliseconds, which must be more than any
   * statement takes. Its peer may have vanished silently, and TCP itself would wait a quarter of an hour. Has
   * no effect on a Unix socket, whose peer is on this machine and cannot vanish like that.
   */
  longestSilenceMs?: number;
  /**
   * Ends a statement after this many milliseconds: for work that callers wait for. Once they have given up,
   * it must neither take effect after all, as when it had waited for a lock, nor hold a connection.
   */
  longestStatementMs?: number;
}

/**
 * Opens a pool of connections to PostgreSQL. Connects on first use. End it, or dispose of it, to close it.
 *
 * The driver is patched (see patches/ beside this). As published, it has these faults:
 * - When a connection breaks, statements in flight may hang for ever, the connection may never recover, a
 *   cursor may end as if it had read all rows, and the rest of a transaction may run in the next one.
 * - It reconnects endlessly, without back-off, to a server that closes at once.
 * - When a statement fails after its first rows, as on a timeout, the next result begins with as many empty
 *   slots.
 * - A COPY that PostgreSQL refuses after its last row hangs for ever, and one that it refuses before its first
 *   may end the process.
 * - On each attempt to reconnect it repeats every LISTEN, but not one that a standby has refused.
 * - When connecting with TLS times out, its error does not name the server.
 *
 * Lists of hosts and `reserve()` still have such faults: this service uses neither.
 */
export function openPostgres(
  url: string,
  { max = 10, keepsPlans = false, longestSilenceMs, longestStatementMs }: PostgresOptions = {},
): Sql & AsyncDisposable {
  const options = {
    max,
    // The driver decodes user and password only. Without a name, it takes that of the user.
    database: decodeURIComponent(new URL(url).pathname.slice(1)),
    connect_timeout: 5,
    // Seconds between attempts to connect. The driver's own back-off grows to 20, and queries would wait for
    // it.
    backoff: () => 0.25,
    // NOTICE is for people at a terminal; as lines on stdout it would break --json.
    onnotice: () => {},
    connection: {
      application_name: "highstreet",
      // The only one in which the driver can read times; a role or a database may have another.
      DateStyle: "ISO",
      // A generic plan is costed for whole lists, although only a page is read. In a directory of millions it
      // then seems costly enough for JIT, which compiles it again on each execution: that takes many times as
      // long as the query.
      ...(keepsPlans && { plan_cache_mode: "force_generic_plan", jit: "off" }),
      ...(longestStatementMs !== undefined && { statement_timeout: longestStatementMs }),
    },
  };
  // Connects on first use. Until then, its options tell how the URL was read.
  const sql = postgres(url, options);
  if (longestSilenceMs === undefined || sql.options.path) return disposable(sql);
  const cutting = {
    ...options,
    // Seconds: idle connections are closed cleanly before they would be dropped.
    idle_timeout: longestSilenceMs / 2_000,
    socket: cutWhenSilent(longestSilenceMs),
  };
  return disposable(postgres(url, cutting as typeof options));
}

const disposable = (sql: Sql): Sql & AsyncDisposable =>
  Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) });

/** Makes sockets for the driver. Its options have a list of hosts; loadConfig allows only one. */
function cutWhenSilent(milliseconds: number) {
  return function connect({ host: [host], port: [port] }: { host: [string]; port: [number] }) {
    const silence = new Error(`PostgreSQL has sent nothing for ${milliseconds / 1_000} seconds`);
    const cut = (socket: net.Socket) =>
      socket.setTimeout(milliseconds, () => {
        socket.destroy(Object.assign(silence, { code: "ETIMEDOUT" }));
      });
    const socket = cut(new net.Socket());
    // Not before the driver has its listeners: without a route or a free descriptor it fails at once, and an
    // error event without a listener ends the process.
    setImmediate(() => socket.connect({ host, port }));
    // The driver puts host and port into its error when connecting times out. With TLS it calls onsecure with
    // the socket that what arrives is then seen on.
    return Object.assign(socket, { host, port, onsecure: cut });
  };
}

/**
 * Listens on a channel.
 * @param onListening called now and after each reconnection, since earlier notifications are lost
 * @returns a function that stops listening. It does not fail when the connection is lost: then nothing listens
 *   any more
 */
export async function listenTo(
  sql: Sql,
  channel: string,
  onNotify: (payload: string) => void,
  onListening?: () => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(channel, onNotify, onListening);
  return async () => {
    await unlisten().catch((error) => {
      if (!isPostgresAway(error)) throw error;
    });
  };
}

/**
 * Runs a transaction that must not take effect once its caller has given up waiting. The timeouts of
 * PostgreSQL count only from the start of a statement, which may have had to wait for a connection.
 * @param end the deadline, on the clock of `performance`
 * @throws DeadlineError when it passes before there is a connection, or before the work is done; the error of
 *   PostgreSQL when a statement or the commit takes longer than was left
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
    // Otherwise this would be left to the commit. It may have to wait, too, as when a change of keys is counted.
    await transaction`set constraints all immediate`;
    // statement_timeout does not cover the commit, which waits for other commits when there are notifications
    // to send.
    const rest = Math.max(1, Math.floor(end - performance.now()));
    await transaction`select set_config('lock_timeout', ${String(rest)}, true)`;
    // Each of several statements may take all that was left at first, and the last answer may be slow to
    // arrive.
    if (performance.now() >= end) throw new DeadlineError("PostgreSQL answered too late");
    return result;
  });
  return done as Result;
}

/**
 * For a transaction that is meant to be long: lifts the timeouts that its role or database may set for all
 * others, as pg_dump does.
 */
export async function liftTimeLimits(transaction: Transaction): Promise<void> {
  await transaction`
    select set_config(name, '0', true)
    from unnest(array[
      'lock_timeout', 'statement_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout']) as name`;
}

/** @throws when PostgreSQL cannot be queried */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
