import postgres from "postgres";

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;

/** Opens a pool of connections to PostgreSQL. Connects on first use. */
export function openPostgres(url: string, { max = 10 } = {}): Sql {
  return postgres(url, {
    max,
    // NOTICE is for people at a terminal; as lines on stdout it would break --json.
    onnotice: () => {},
    connection: { application_name: "highstreet" },
  });
}
