import { pendingMigrations } from "../../src/store/migrations.ts";
import { openPostgres, type Sql } from "../../src/store/postgres.ts";
import { CommandError } from "../terminal/command.ts";

/**
 * Opens the directory's database for a command, which knows only the tables of its own version. Dispose
 * of it to close it.
 * @param max connections
 * @throws CommandError while a migration is pending
 */
export async function openDatabase(url: string, max: number): Promise<Sql & AsyncDisposable> {
  const sql = openPostgres(url, { max });
  try {
    const pending = await pendingMigrations(sql);
    if (pending.length === 0) return sql;
    throw new CommandError(
      `The database lacks ${pending.join(", ")}: run \`npx bun scripts/migrate.ts\`.`,
    );
  } catch (error) {
    await sql[Symbol.asyncDispose]();
    throw error;
  }
}
