import { readdir } from "node:fs/promises";
import { MIGRATION_LOCK } from "./locks.ts";
import { liftTimeLimits, type Sql, type Transaction } from "./postgres.ts";

const folder = new URL("../../sql/", import.meta.url);

/**
 * Applies the pending migrations in the order of their names, each in one transaction.
 * @param options.from where they are
 * @param options.onWait called with a line for the operator when a migration has to wait for others
 * @returns the names of those applied
 * @throws UnsuitableDatabaseError when PostgreSQL is too old, or a new database not in UTF-8; Error that names
 *   the migration that failed; those before it stay applied
 */
export async function migrate(
  sql: Sql,
  { from = folder, onWait = () => {} }: { from?: URL; onWait?: (line: string) => void } = {},
): Promise<string[]> {
  const pending = await pendingMigrations(sql, from);
  if (pending.length === 0) return [];
  await checkVersion(sql);
  await withMigrationLock(sql, makeTable);
  const applied: string[] = [];
  for (const name of pending) {
    for (let waits = 0; ; waits++) {
      const result = await apply(sql, name, from);
      if (result === "applied") applied.push(name);
      if (result !== "held up") break;
      if (waits === 0) onWait(`${name} is waiting for a transaction that uses what it changes.`);
      await Bun.sleep(PAUSE_MS);
    }
  }
  return applied;
}

/** One transaction, one process at a time: two that start together must not migrate twice. */
async function withMigrationLock<Result>(
  sql: Sql,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return (await sql.begin(async (transaction) => {
    await liftTimeLimits(transaction);
    await transaction`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    return await work(transaction);
  })) as Result;
}

async function makeTable(transaction: Transaction): Promise<void> {
  if ((await appliedMigrations(transaction)).length === 0) await checkEncoding(transaction);
  await transaction`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`;
}

/** The database of DATABASE_URL cannot be used. */
export class UnsuitableDatabaseError extends Error {}

async function checkVersion(sql: Sql): Promise<void> {
  const [{ version }] = await sql<[{ version: string }]>`
    select current_setting('server_version_num') as version`;
  // 180004 is 18.4.
  const major = Math.floor(Number(version) / 10_000);
  if (major >= OLDEST_POSTGRES) return;
  throw new UnsuitableDatabaseError(
    `The PostgreSQL of DATABASE_URL has version ${major}, but Highstreet needs ${OLDEST_POSTGRES} or later.`,
  );
}

const OLDEST_POSTGRES = 18;

async function checkEncoding(transaction: Transaction): Promise<void> {
  const [{ encoding }] = await transaction<[{ encoding: string }]>`
    select current_setting('server_encoding') as encoding`;
  if (encoding === "UTF8") return;
  throw new UnsuitableDatabaseError(
    `The database of DATABASE_URL has the encoding ${encoding}, but Highstreet needs UTF8: create one with \`create database … encoding 'UTF8' template template0\`.`,
  );
}

/** "held up" when it did not get a lock in time. */
async function apply(
  sql: Sql,
  name: string,
  from: URL,
): Promise<"applied" | "known already" | "held up"> {
  const text = await Bun.file(new URL(name, from)).text();
  try {
    return await withMigrationLock(sql, async (transaction) => {
      if ((await appliedMigrations(transaction)).includes(name)) return "known already";
      // While it waits for a lock on a table, all readers of that table queue behind it: with an import
      // ahead, for minutes.
      await transaction`select set_config('lock_timeout', ${String(LONGEST_WAIT_MS)}, true)`;
      await transaction.unsafe(text).simple();
      await transaction`insert into migrations (name) values (${name})`;
      return "applied";
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return "held up";
    throw new Error(`Migration ${name} cannot be applied: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

// Appendix A of PostgreSQL's manual.
const LOCK_NOT_AVAILABLE = "55P03";
/** Milliseconds to wait for a lock. The work of a migration has no time limit. */
const LONGEST_WAIT_MS = 500;
/** Between attempts, so that whoever queued behind the last one gets a turn. */
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

async function appliedMigrations(sql: Sql | Transaction): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('migrations') is not null as exists`;
  if (!exists) return [];
  return (await sql<{ name: string }[]>`select name from migrations order by name`).map(
    ({ name }) => name,
  );
}

const namesIn = async (from: URL) =>
  (await readdir(from)).filter((name) => name.endsWith(".sql")).sort();
