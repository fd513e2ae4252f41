import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";
import type { Upkeep } from "../upkeep.ts";

/** Requests charged, as PostgreSQL keeps them. */
export interface DurableUsage {
  /** Counts requests charged (or, below 0, given back) in a month such as `2026-11`. Does not wait. */
  count(meterId: string, month: string, requests: number): void;
  /** What each meter has used in a month, everything counted here until now included. */
  totals(meters: readonly MeterMonth[]): Promise<number[]>;
  /** Writes what has been counted. @throws when PostgreSQL is away; nothing is lost then */
  flush(): Promise<void>;
  /** Has a listener told, after each write, what the written meters have used by all servers. */
  onWritten(listener: WrittenListener): void;
}

type WrittenListener = (month: string, totals: readonly MeterTotal[]) => void;

/** A month of a meter, such as `2026-11`. */
export interface MeterMonth {
  meterId: string;
  month: string;
}

/** Requests charged to a meter in a month that is told beside it. */
export interface MeterTotal {
  meterId: string;
  used: number;
}

/** Gathers what is charged; a flush writes a month in one statement, however many keys. */
export function openUsage(sql: Sql): DurableUsage {
  /** By month, then by meter. */
  let pending = new Map<string, Map<string, number>>();
  /** The last write: they go one after the other, so whoever awaits it awaits them all. */
  let writing: Promise<void> = Promise.resolve();
  /** The write that has yet to begin: all who flush until then share it. */
  let next: Promise<void> | undefined;
  let tell: WrittenListener = () => {};

  function count(meterId: string, month: string, requests: number) {
    let counted = pending.get(month);
    if (!counted) {
      counted = new Map();
      pending.set(month, counted);
    }
    counted.set(meterId, (counted.get(meterId) ?? 0) + requests);
  }

  async function write() {
    const unwritten = pending;
    pending = new Map();
    try {
      for (const [month, counted] of unwritten) {
        const charges = Array.from(counted, ([meterId, used]) => ({ meterId, used }));
        const changes = charges.filter(({ used }) => used !== 0);
        if (changes.length > 0) tell(month, await addUsage(sql, month, changes));
        unwritten.delete(month);
      }
    } catch (error) {
      // If the connection broke just after the commit, they were written, and are now counted twice.
      for (const [month, counted] of unwritten) {
        for (const [meterId, used] of counted) count(meterId, month, used);
      }
      throw error;
    }
  }

  function flush(): Promise<void> {
    if (!next) {
      next = writing.then(() => {
        next = undefined;
        return write();
      });
      writing = next.catch(() => {});
    }
    return next;
  }

  return {
    count,
    flush,
    async totals(meters) {
      await flush();
      return await findTotals(sql, meters);
    },
    onWritten(listener) {
      tell = listener;
    },
  };
}

/** Flushes about once a second, and once more when stopped. */
export function flushRegularly(usage: DurableUsage, log: Logger): Upkeep {
  let isFailing = false;
  const timer = setInterval(async () => {
    try {
      await usage.flush();
      if (isFailing) log.info("usage is written to PostgreSQL again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ err: error }, "usage cannot be written to PostgreSQL");
      isFailing = true;
    }
  }, FLUSH_INTERVAL_MS);
  return {
    isFailing: () => isFailing,
    async stop() {
      clearInterval(timer);
      await usage.flush();
    },
  };
}

/** Keeps nothing: a meter that Redis does not know starts at 0. */
export const noDurableUsage: DurableUsage = {
  count() {},
  totals: async (meters) => meters.map(() => 0),
  async flush() {},
  onWritten() {},
};

// Less than a second, so that there is time for the write.
const FLUSH_INTERVAL_MS = 800;

/** Adds to what meters have used in a month. @returns what they have used then */
async function addUsage(
  sql: Sql,
  month: string,
  charges: readonly MeterTotal[],
): Promise<MeterTotal[]> {
  // All servers lock the rows in the same order.
  return await sql<MeterTotal[]>`
    insert into usage (meter_id, month, used)
    select meter_id, ${`${month}-01`}::date, used from unnest(
      ${charges.map(({ meterId }) => meterId)}::uuid[],
      ${charges.map(({ used }) => used)}::bigint[]) as charge (meter_id, used)
    order by meter_id
    on conflict (meter_id, month) do update set used = usage.used + excluded.used
    returning meter_id as "meterId", used::float8 as used`;
}

/** What meters have used, each in its month; 0 when nothing is known. */
async function findTotals(sql: Sql, meters: readonly MeterMonth[]): Promise<number[]> {
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
