import type { Sql, Transaction } from "../store/postgres.ts";

/** A month of a meter, such as `2026-11`. */
export interface MeterMonth {
  meterId: string;
  month: string;
}

/** Requests charged to a meter in a given month. */
export interface MeterTotal {
  meterId: string;
  used: number;
}

/** What a process writes at once, for one month. */
export interface UsageBatch {
  /** Increases with each batch of the process. */
  number: number;
  month: string;
  charges: readonly MeterTotal[];
}

/**
 * Adds a batch to what meters have used, unless it was added before.
 * @returns their new totals; none when it was added before
 */
export async function addUsage(
  sql: Sql,
  writer: string,
  { number, month, charges }: UsageBatch,
): Promise<MeterTotal[]> {
  // All servers lock the rows in the same order.
  return await sql<MeterTotal[]>`
    with write as (
      insert into usage_writes as last (writer, number) values (${writer}, ${number})
      on conflict (writer) do update
        set number = excluded.number, written_at = excluded.written_at
        where last.number < excluded.number
      returning number
    )
    insert into usage (meter_id, month, used)
    select meter_id, ${`${month}-01`}::date, used from write, unnest(
      ${charges.map(({ meterId }) => meterId)}::uuid[],
      ${charges.map(({ used }) => used)}::bigint[]) as charge (meter_id, used)
    order by meter_id
    on conflict (meter_id, month) do update set used = usage.used + excluded.used
    returning meter_id as "meterId", used::float8 as used`;
}

/** Forgets processes that ended long ago. */
export async function forgetOldWriters(sql: Sql): Promise<void> {
  await sql`delete from usage_writes where written_at < now() - interval '1 day'`;
}

/** Keeps everybody from changing what meters have used until the transaction ends. */
export async function lockTotals(
  transaction: Transaction,
  meters: readonly MeterMonth[],
): Promise<void> {
  // In the order of addUsage.
  await transaction`
    select from usage
    where (meter_id, month) in (
      select * from unnest(
        ${meters.map(({ meterId }) => meterId)}::uuid[],
        ${meters.map(({ month }) => `${month}-01`)}::date[]))
    order by meter_id, month
    for share`;
}

/** What meters have used, each in its month; 0 when nothing is recorded. */
export async function findTotals(
  sql: Sql | Transaction,
  meters: readonly MeterMonth[],
): Promise<number[]> {
  const rows = await sql<{ used: number }[]>`
    select greatest(0, usage.used)::float8 as used
    from unnest(
      ${meters.map(({ meterId }) => meterId)}::uuid[],
      ${meters.map(({ month }) => `${month}-01`)}::date[]
    ) with ordinality as asked (meter_id, month, place)
      left join usage using (meter_id, month)
    order by place`;
  return rows.map(({ used }) => used);
}
