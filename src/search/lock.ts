import postgres from "postgres";
import { withDeadline } from "../store/deadline.ts";
import { SEARCH_SYNC_LOCK } from "../store/locks.ts";
import type { Sql } from "../store/postgres.ts";
import { repeat } from "../store/repeat.ts";

/**
 * Does the work while this process holds the lock of the search index; null when another process holds it. The
 * lock belongs to a transaction on a connection of its own, so it is free as soon as the process or that
 * connection ends, even behind a pooler, which might hand a session's lock to somebody else. The transaction
 * reads nothing, so it holds up no vacuum. If the connection breaks during the work, its signal is aborted,
 * since another process may now take the lock.
 * @param options.longestSilenceMs how long a process that hangs keeps the lock; shorter in tests
 */
export async function withSyncLock<Result>(
  sql: Sql,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
  { longestSilenceMs = LONGEST_SILENCE_MS } = {},
): Promise<Result | null> {
  const lost = new AbortController();
  // Without the socket that is cut when idle: this connection may be idle for as long as the work takes.
  const { socket: _, ...sameDatabase } = sql.options as unknown as Options;
  const holder = postgres({
    ...sameDatabase,
    max: 1,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    onclose() {
      const reason = new Error("The connection that held the search lock was closed");
      // As in the driver's own error.
      lost.abort(Object.assign(reason, { code: "CONNECTION_CLOSED" }));
    },
  });
  try {
    await holder`begin`;
    // A holder whose heartbeats stop has died or hangs, and another process must be able to take over.
    await holder`
      select set_config('transaction_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', ${String(longestSilenceMs)}, true)`;
    const [lock] = await holder<[{ held: boolean }]>`
      select pg_try_advisory_xact_lock(${SEARCH_SYNC_LOCK}) as held`;
    if (!lock.held) return null;
    await sendHeartbeat(holder);
    const stopHeartbeats = repeat(longestSilenceMs / 4, () => sendHeartbeat(holder));
    try {
      return await work(AbortSignal.any([stopping, lost.signal]));
    } finally {
      stopHeartbeats();
      if (!lost.signal.aborted) await release(holder);
    }
  } catch (error) {
    // If the lock was lost, that is why the work failed.
    lost.signal.throwIfAborted();
    throw error;
  } finally {
    await holder.end({ timeout: 0 });
  }
}

/**
 * By the simple protocol, after which PostgreSQL keeps no snapshot. After a statement by the extended protocol
 * it keeps one until the next, which would hold up vacuum.
 */
async function sendHeartbeat(holder: Sql): Promise<void> {
  await holder`select 1`.simple();
}

/**
 * Releases the lock while the connection is still open. PostgreSQL notices the end of a connection a little
 * late, and whoever tried for the lock until then would find it taken.
 */
async function release(holder: Sql): Promise<void> {
  const released = holder`commit`;
  // If this fails, the end of the connection releases it.
  await withDeadline(released, LONGEST_RELEASE_MS).catch(() => {});
}

const LONGEST_RELEASE_MS = 1_000;
const LONGEST_SILENCE_MS = 60_000;

type Options = postgres.Options<Record<string, never>> & { socket?: unknown };
