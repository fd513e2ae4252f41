import { readdir } from "node:fs/promises";
import { MIGRATION_LOCK } from "./locks.ts";
import type { Sql } from "./postgres.ts";

const folder = new URL("../../sql/", import.meta.url);

/**
 * Applies the pending migrations in the order of their names, each in one transaction.
 * @param options.from where they are
 * @param options.onWait told in a line for people when one has to wait for others
 * @returns the names of those applied
 * @throws EncodingError when a new database is not in UTF-8; Error that names the one which could not be
 *   applied; those before it stay applied
 */
export async function migrate(
  sql: Sql,
  { from = folder, onWait = () => {} }: { from?: URL; onWait?: (line: string) => void } = {},
): Promise<string[]> {
  const connection = await sql.reserve();
  try {
    // Two programs that start at once must not migrate twice.
    await connection`select pg_advisory_lock(${MIGRATION_LOCK})`;
    if ((await appliedMigrations(connection)).length === 0) await checkEncoding(connection);
    await connection`
      create table if not exists migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const pending = await pendingMigrations(connection, from);
    for (const name of pending) {
      for (let waits = 0; !(await apply(connection, name, from)); waits++) {
        if (waits === 0) onWait(`${name} waits for a transaction that uses what it is to change.`);
        await Bun.sleep(PAUSE_MS);
      }
    }
    return pending;
  } finally {
    // If the connection was lost, so was its lock.
    await connection`select pg_advisory_unlock(${MIGRATION_LOCK})`.catch(() => {});
    connection.release();
  }
}

/** The database cannot hold every name. */
export class EncodingError extends Error {}

async function checkEncoding(sql: Sql): Promise<void> {
  const [{ encoding }] = await sql<[{ encoding: string }]>`
    select current_setting('server_encoding') as encoding`;
  if (encoding === "UTF8") return;
  throw new EncodingError(
    `The database of DATABASE_URL has the encoding ${encoding}, and Highstreet needs UTF8: make one with \`create database … encoding 'UTF8' template template0\`.`,
  );
}

/** @returns whether it is applied; false when a lock that it needs was not to be had in time */
async function apply(connection: Sql, name: string, from: URL): Promise<boolean> {
  const text = await Bun.file(new URL(name, from)).text();
  try {
    // Several statements sent as one query are one transaction. While it waits for the lock of a
    // table, all who want to read that table wait behind it: for an import, that would be minutes.
    await connection
      .unsafe(`${LIMITS}\n${text};\ninsert into migrations (name) values ('${name}')`)
      .simple();
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw new Error(`Migration ${name} cannot be applied: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

// Appendix A of PostgreSQL's manual.
const LOCK_NOT_AVAILABLE = "55P03";
/** In milliseconds: little time to wait for a lock, but no limit to the work itself, as in liftTimeLimits. */
const LIMITS =
  "set local lock_timeout = 500; set local statement_timeout = 0; set local transaction_timeout = 0;";
/** Between attempts, so that those who had to wait behind the last one get their turn. */
const PAUSE_MS = 1_000;

/** The names of the migrations that this database does not have yet. */
export async function pendingMigrations(sql: Sql, from: URL = folder): Promise<string[]> {
  const applied = new Set(await appliedMigrations(sql));
  return (await namesIn(from)).filter((name) => !applied.has(name));
}

/** The names of the migrations that a later version has applied to this database. */
export async function laterMigrations(sql: Sql): Promise<string[]> {
  const known = new Set(await namesIn(folder));
  return (await appliedMigrations(sql)).filter((name) => !known.has(name));
}

async function appliedMigrations(sql: Sql): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('migrations') is not null as exists`;
  if (!exists) return [];
  return (await sql<{ name: string }[]>`select name from migrations order by name`).map(
    ({ name }) => name,
  );
}

const namesIn = async (from: URL) =>
  (await readdir(from)).filter((name) => name.endsWith(".sql")).sort();
