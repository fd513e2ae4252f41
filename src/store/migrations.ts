import { readdir } from "node:fs/promises";
import { MIGRATION_LOCK } from "./locks.ts";
import type { Sql } from "./postgres.ts";

const folder = new URL("../../sql/", import.meta.url);

/**
 * Applies the pending migrations of `sql/` in the order of their names, each in one transaction.
 * @returns the names of those applied
 */
export async function migrate(sql: Sql): Promise<string[]> {
  const connection = await sql.reserve();
  try {
    // Two programs that start at once must not migrate twice. Held until the connection ends.
    await connection`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await connection`
      create table if not exists migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const pending = await pendingMigrations(connection);
    for (const name of pending) {
      const text = await Bun.file(new URL(name, folder)).text();
      // Several statements sent as one query are one transaction.
      await connection
        .unsafe(`${text};\ninsert into migrations (name) values ('${name}')`)
        .simple();
    }
    await connection`select pg_advisory_unlock(${MIGRATION_LOCK})`;
    return pending;
  } finally {
    connection.release();
  }
}

/** The names of the migrations that this database does not have yet. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('migrations') is not null as exists`;
  const applied = new Set(
    exists
      ? (await sql<{ name: string }[]>`select name from migrations`).map((row) => row.name)
      : [],
  );
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return names.filter((name) => !applied.has(name));
}
