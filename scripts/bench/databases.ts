import type { Environment } from "../../src/config.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import type { Directory } from "./directory.ts";

/**
 * Creates a database beside the directory's, for work that would change the directory, and drops it
 * afterwards.
 * @param options.copy whether it starts as a copy; if so, nothing may use the directory meanwhile
 * @param use called with the environment for programs
 */
export async function withDatabase<Result>(
  { env }: Directory,
  { name, copy = false }: { name: string; copy?: boolean },
  use: (env: Environment) => Promise<Result>,
): Promise<Result> {
  const url = new URL(env.DATABASE_URL ?? "");
  const original = url.pathname.slice(1);
  url.pathname = "/postgres";
  const owner = openPostgres(url.href, { max: 1 });
  const drop = () => owner`drop database if exists ${owner(name)} with (force)`;
  url.pathname = `/${name}`;
  try {
    // An interrupted run may have left one behind.
    await drop();
    if (copy) {
      // Closes all connections to the directory's database, which must have none while it is copied. Our own
      // client reconnects when it is next used.
      await owner`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${original}`;
      await owner`create database ${owner(name)} template ${owner(original)} strategy file_copy`;
    } else {
      await owner`create database ${owner(name)}`;
    }
    return await use({ ...env, DATABASE_URL: url.href });
  } finally {
    await drop();
    await owner.end();
  }
}
