import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { until } from "../../../scripts/stack/waiting.ts";
import { IMPORT_LOCK } from "../../../src/store/locks.ts";
import { delayedBy, makeCommitsWait, untilBlocked } from "../../support.ts";
import { openDirectory, record } from "./directory.ts";

// Imports that fail or are interrupted: what they leave, and what they say of it.

const { sql, start, run, runJson, load, write, count } = await openDirectory();

test.each<NodeJS.Signals>(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s ends an import: nothing is kept, and no part of the rejected rows",
  async (signal) => {
    const [first, second] = [
      await write(record("1")),
      await write(`${record("2")}\n${"broken\n".repeat(600)}`),
    ];
    // The first has nothing left to write, so it is the second that waits.
    await load(first);
    await sql.begin(async (transaction) => {
      await transaction`lock table businesses in exclusive mode`;
      const { ended, kill } = start([first, second, "--json"]);
      await untilBlocked(sql);
      expect(existsSync(`${second}.rejects.ndjson`)).toBe(true);
      kill(signal);
      const { stdout, stderr, exitCode } = await ended;
      expect([stderr, exitCode]).toEqual([`Interrupted: nothing of ${second} was kept.\n`, 1]);
      expect(JSON.parse(stdout)).toMatchObject({
        read: 1,
        files: [{ file: first }, { file: second, error: stderr.trimEnd() }],
      });
    });
    expect(existsSync(`${second}.rejects.ndjson`)).toBe(false);
    expect(await count()).toBe(1);
  },
);

test("an import that is interrupted while it waits for another leaves the rejected rows of that one", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
    await Bun.write(`${file}.rejects.ndjson`, "of the other import");
    const { ended, kill } = start([file]);
    await untilBlocked(sql);
    kill("SIGINT");
    expect((await ended).stderr).toEndWith(`Interrupted: nothing of ${file} was kept.\n`);
  });
  expect(await Bun.file(`${file}.rejects.ndjson`).text()).toBe("of the other import");
});

test("an import that is interrupted while it commits does not say that nothing was kept", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await whileItCommits(file, async ({ ended, kill }) => {
    kill("SIGINT");
    expect(await ended).toEqual({
      stdout: "",
      stderr: `Interrupted: ${file} may have been kept. Import it and the files after it again.\n`,
      exitCode: 1,
    });
  });
  await until(async () => (await count()) === 1, 10_000);
  expect(await Bun.file(`${file}.rejects.ndjson`).json()).toMatchObject({ line: 2 });
});

test("an import that loses PostgreSQL while it commits leaves the rejected rows: it may have been kept", async () => {
  const file = await write(`${record("1")}\nbroken\n`);
  await whileItCommits(file, async ({ ended }) => {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const { stderr, exitCode } = await ended;
    expect(stderr).toStartWith(`${file} failed. Import it and the files after it again.\n`);
    expect(exitCode).toBe(1);
  });
  expect(await Bun.file(`${file}.rejects.ndjson`).json()).toMatchObject({ line: 2 });
});

/** Starts an import, and does something while PostgreSQL is about to commit it. */
async function whileItCommits(
  file: string,
  act: (importing: ReturnType<typeof start>) => Promise<void>,
): Promise<void> {
  await makeCommitsWait(sql);
  try {
    await sql.begin(async (transaction) => {
      await transaction`lock table commits`;
      const importing = start([file]);
      await untilBlocked(sql);
      await act(importing);
    });
  } finally {
    await sql.unsafe("drop table commits; drop function wait_for_commits() cascade");
  }
}

test("a file whose import fails is named, and can be imported again with those after it", async () => {
  const [first, second] = [await write(record("1")), await write(record("2"))];
  await sql.begin(async (transaction) => {
    await transaction`lock table businesses in access exclusive mode`;
    const broken = run([first, second]);
    await until(async () => {
      const [waiting] = await sql`
        select pg_terminate_backend(pid) from pg_locks
        where relation = 'businesses'::regclass and not granted`;
      return waiting !== undefined;
    }, 10_000);
    const { stdout, stderr, exitCode } = await broken;
    expect(stdout).toStartWith("All files: read 0,");
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([
      `${first} failed. Import it and the files after it again.`,
      expect.stringContaining("The connection to PostgreSQL was broken off ("),
    ]);
  });
  const { counts, exitCode } = await runJson([first, second]);
  expect([counts.created, exitCode]).toEqual([2, 0]);
});

test("a full disk of PostgreSQL gets one clear line, and nothing of the file is kept", async () => {
  const file = await write(record("1"));
  await sql.unsafe(`
    create function fill_disk() returns trigger language plpgsql as $$
    begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger fill_disk before insert on businesses for each row execute function fill_disk()`);
  const { stderr, exitCode } = await run([file]);
  await sql`drop function fill_disk cascade`;
  expect(exitCode).toBe(1);
  expect(stderr.trimEnd().split("\n")).toEqual([
    `${file} failed. Import it and the files after it again.`,
    "PostgreSQL is out of disk space, memory or connections: could not extend file: No space left on device. Free some, then try again.",
  ]);
  expect((await runJson([file])).counts.created).toBe(1);
});

test("an import whose city is deleted meanwhile says in a line to try again", async () => {
  const file = await write(record("1"));
  await sql`insert into cities (slug, name) values ('leeds', 'Leeds')`;
  const { stderr, exitCode } = await delayedBy(
    sql,
    (operator) => operator`delete from cities where slug = 'leeds'`,
    () => run([file]),
  );
  expect([stderr, exitCode]).toEqual([
    `${file} failed. Import it and the files after it again.\nA concurrent change was in the way, and PostgreSQL cancelled this one: a business needs a city that exists. Try again.\n`,
    1,
  ]);
});
