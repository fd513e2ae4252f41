import { readdir } from "node:fs/promises";
import { MIGRATION_LOCK } from "./locks.ts";
import type { Sql } from "./postgres.ts";

const folder = new URL("../../sql/", import.meta.url);

/**
 * Applies the pending migrations in the order of their names, each in one transaction.
 * @param from where they are
 * @returns the names of those applied
 * @throws Error that names the one which could not be; those before it stay applied
 */
export async function migrate(sql: Sql, from: URL = folder): Promise<string[]> {
  const connection = await sql.reserve();
  try {
    // Two programs that start at once must not migrate twice.
    await connection`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await connection`
      create table if not exists migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const pending = await pendingMigrations(connection, from);
    for (const name of pending) await apply(connection, name, from);
    return pending;
  } finally {
    // A connection that was lost has let go of it.
    await connection`select pg_advisory_unlock(${MIGRATION_LOCK})`.catch(() => {});
    connection.release();
  }
}

async function apply(connection: Sql, name: string, from: URL): Promise<void> {
  const text = await Bun.file(new URL(name, from)).text();
  try {
    // Several statements sent as one query are one transaction.
    await connection.unsafe(`${text};\ninsert into migrations (name) values ('${name}')`).simple();
  } catch (error) {
    throw new Error(`Migration ${name} cannot be applied: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The names of the migrations that this database does not have yet. */
export async function pendingMigrations(sql: Sql, from: URL = folder): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('migrations') is not null as exists`;
  const applied = new Set(
    exists
      ? (await sql<{ name: string }[]>`select name from migrations`).map((row) => row.name)
      : [],
  );
  const names = (await readdir(from)).filter((name) => name.endsWith(".sql")).sort();
  return names.filter((name) => !applied.has(name));
}
