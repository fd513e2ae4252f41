import { expect, spyOn, test } from "bun:test";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
import { until } from "../../../scripts/stack/waiting.ts";
import { openPostgres, ping } from "../../../src/store/postgres.ts";
import { newFolder } from "../../support.ts";

test("data in use are left to their PostgreSQL, half a data folder is made anew, and a wrong password is told", async () => {
  const folder = await newFolder();
  // Of an initdb that was interrupted.
  await mkdir(join(folder, "postgres.new"));
  await writeFile(join(folder, "postgres.new", "PG_VERSION"), "18\n");
  const [first, second] = [new Supervisor(folder), new Supervisor(folder)];
  try {
    const { url } = await startPostgres(first, { durable: false });
    await expect(startPostgres(second, { durable: false })).rejects.toThrow("postmaster.pid");
    await using sql = openPostgres(url, { max: 1 });
    await ping(sql);
  } finally {
    await second.stop();
    await first.stop();
  }
  await writeFile(join(folder, "postgres.password"), "another");
  const third = new Supervisor(folder);
  try {
    const started = startPostgres(third, { durable: false });
    await expect(started).rejects.toThrow("password authentication failed");
  } finally {
    await third.stop();
  }
});

test("PostgreSQL is given minutes to recover, as after a power cut", async () => {
  const folder = await newFolder();
  const before = new Supervisor(folder);
  await startPostgres(before, { durable: false }).finally(() => before.stop());
  // A standby without hot_standby stays in recovery until it is promoted.
  const data = join(folder, "postgres");
  await writeFile(join(data, "standby.signal"), "");
  await appendFile(
    join(data, "postgresql.conf"),
    "hot_standby = off\nwal_retrieve_retry_interval = 10ms\n",
  );

  const supervisor = new Supervisor(folder);
  const now = performance.now.bind(performance);
  let leap = 0;
  let looks = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => {
    looks++;
    return now() + leap;
  });
  try {
    const started = startPostgres(supervisor, { durable: false });
    const log = () => readFile(join(folder, "logs", "postgres.log"), "utf8").catch(() => "");
    await until(async () => (await log()).includes("entering standby mode"), 20_000);
    leap = 5 * 60_000;
    const leapt = looks;
    while (looks < leapt + 20) await Promise.race([started, Bun.sleep(5)]);
    const pid = Number.parseInt(await readFile(join(data, "postmaster.pid"), "utf8"), 10);
    await writeFile(join(data, "promote"), "");
    process.kill(pid, "SIGUSR1");
    await expect(started).resolves.toMatchObject({ pid });
  } finally {
    clock.mockRestore();
    await supervisor.stop();
  }
});
