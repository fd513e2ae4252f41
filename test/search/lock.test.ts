import { afterAll, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { withSyncLock } from "../../src/search/lock.ts";
import { SEARCH_SYNC_LOCK } from "../../src/store/locks.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { createDatabase } from "../support.ts";
import { cutLockHolder } from "./empty-directory.ts";

const database = await createDatabase();
afterAll(() => database.drop());

/** For how many milliseconds the lock has been held, if it is. */
const holders = () => database.sql<{ forMs: number }[]>`
  select (extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as "forMs"
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and objid = ${SEARCH_SYNC_LOCK} and datname = current_database()`;

test("holding the lock does not hold back vacuum", async () => {
  const { signal } = new AbortController();
  const held = await withSyncLock(database.sql, signal, async () => [
    ...(await database.sql`
      select backend_xmin as "oldestSeen"
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = ${SEARCH_SYNC_LOCK} and datname = current_database()`),
  ]);
  expect(held).toEqual([{ oldestSeen: null }]);
});

test("work that fails after losing its lock fails with that reason, whatever its own error", async () => {
  const work = async (signal: AbortSignal) => {
    await cutLockHolder(database.sql);
    await until(() => signal.aborted, 5_000);
    throw new Error("it goes on with nothing");
  };
  const working = withSyncLock(database.sql, new AbortController().signal, work);
  await expect(working).rejects.toThrow("search lock was closed");
});

test("a process keeps the lock while it lives, whatever timeouts its role has, and loses it when it hangs", async () => {
  const longestSilenceMs = 1_000;
  const name = new URL(database.url).pathname.slice(1);
  await database.sql.unsafe(`alter database ${name} set transaction_timeout = '2s'`);
  const holder = Bun.spawn(
    [
      process.execPath,
      "--eval",
      `import { withSyncLock } from "${import.meta.dir}/../../src/search/lock.ts";
       import { openPostgres } from "${import.meta.dir}/../../src/store/postgres.ts";
       const sql = openPostgres(process.env.URL);
       const { signal } = new AbortController();
       await withSyncLock(sql, signal, () => Promise.withResolvers().promise, { longestSilenceMs: ${longestSilenceMs} });`,
    ],
    { env: { ...process.env, URL: database.url } },
  );
  try {
    await until(async () => ((await holders())[0]?.forMs ?? 0) > 3 * longestSilenceMs, 20_000);
    holder.kill("SIGSTOP");
    await until(async () => (await holders()).length === 0, 20_000);
    const { signal } = new AbortController();
    expect(await withSyncLock(database.sql, signal, async () => "done")).toBe("done");
  } finally {
    holder.kill("SIGKILL");
    await holder.exited;
  }
});

test("the lock is kept for as long as the work takes, however soon other connections are closed", async () => {
  await using sql = openPostgres(database.url, { longestSilenceMs: 1_000 });
  Object.assign(sql.options, { max_lifetime: 1 });
  const { signal } = new AbortController();
  const isKept = await withSyncLock(sql, signal, async (held) => {
    await until(async () => held.aborted || ((await holders())[0]?.forMs ?? 0) > 2_000, 20_000);
    return !held.aborted;
  });
  expect(isKept).toBe(true);
});
