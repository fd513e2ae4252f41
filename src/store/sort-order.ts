import type { Logger } from "pino";
import type { Sql } from "./postgres.ts";

/**
 * Warns when an update of libc or ICU may have changed the order of texts, after which indexes miss some of the
 * rows. PostgreSQL itself warns only those who connect by psql. Never throws: it may be down by now.
 */
export async function warnOfSortOrder(sql: Sql, log: Logger): Promise<void> {
  // Orders that never change have no version, or always the same one. Those of musl, Alpine's libc, have none, either.
  const [version] = await sql<{ ofIndexes: string | null; now: string | null }[]>`
    select datcollversion as "ofIndexes", pg_database_collation_actual_version(oid) as now
    from pg_database
    where datname = current_database()
      and datcollversion is distinct from pg_database_collation_actual_version(oid)`.catch(
    () => [],
  );
  if (!version) return;
  log.warn(
    { version },
    "businesses may not be found, as the order of texts may have changed since the indexes were made: stop all servers and run `reindex database` in PostgreSQL, then `alter database … refresh collation version`; where that fails, the operators' guide says what to run instead",
  );
}
