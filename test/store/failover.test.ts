import { afterAll, expect, test } from "bun:test";
import { chown, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { withSupervisor } from "../../scripts/bench/stack.ts";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { createAdmission } from "../../src/access/admission.ts";
import { followAnnouncements } from "../../src/directory/announcements.ts";
import { isAway } from "../../src/store/away.ts";
import { openPostgres, ping, type Sql } from "../../src/store/postgres.ts";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { CERTIFICATE, KEY } from "../certificate.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, logInto, newFolder, redisAlone, silent } from "../support.ts";

// Stores that are replaced behind their address.

const database = await createDatabase();
afterAll(() => database.drop());

// These wait for most of their time, so they do it together with those that follow.
test.concurrent("connections to a PostgreSQL that vanished silently time out, and are reopened", () =>
  expectRecovery(database.url));

test.concurrent("so are those with TLS", () =>
  withSupervisor(async (supervisor) => {
    const { url } = await startPostgres(supervisor, { durable: false });
    const folder = join(supervisor.folder, "postgres");
    const { uid, gid } = await stat(folder);
    for (const [name, text] of [
      ["server.crt", CERTIFICATE],
      ["server.key", KEY],
    ] as const) {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      await chown(join(folder, name), uid, gid);
    }
    const sql = openPostgres(url, { max: 1 });
    await sql`alter system set ssl = on`;
    await sql`select pg_reload_conf()`;
    const isOn = async () => (await sql`show ssl`)[0]?.ssl === "on";
    await until(isOn, 5_000);
    await sql.end();
    // To whoever verifies it, one whose certificate is not trusted is away.
    await using wary = openPostgres(`${url}?sslmode=verify-full`, { max: 1 });
    const refused = await ping(wary).catch((error) => error);
    expect([refused.code, isAway(refused)]).toEqual(["DEPTH_ZERO_SELF_SIGNED_CERT", true]);
    await expectRecovery(`${url}?sslmode=require`);
  }));

async function expectRecovery(url: string): Promise<void> {
  // Longer than a pause of the machine.
  const longestSilenceMs = 3_000;
  // One that is busy for longer than it may be silent goes on.
  const busy = openPostgres(url, { max: 1, longestSilenceMs });
  for (let times = 0; times < 4; times++) await busy`select pg_sleep(1)`;
  await busy.end();

  const proxy = await openProxy(new URL(url));
  const sql = openPostgres(proxy.url, { max: 2, longestSilenceMs });
  let told = 0;
  const announcements = await followAnnouncements(sql, silent, () => {
    told += 1;
  });
  expect((await sql`select 1 as one`)[0]).toEqual({ one: 1 });
  proxy.lose();
  const unanswered = await sql`select 1`.catch((error) => error);
  expect(unanswered.code).toBe("ETIMEDOUT");
  expect((await sql`select 2 as two`)[0]).toEqual({ two: 2 });
  await until(() => told === 2 && announcements.areCurrent(), 5_000);
  await announcements.stop();
  await sql.end({ timeout: 1 });
  await proxy.close();
}

test.concurrent.each([
  ["accepts and never answers", "", ""],
  ["offers TLS and never answers then", "S", "?sslmode=require"],
])(
  "a PostgreSQL that %s is named by its address",
  async (_, answer, end) => {
    const silent = createServer((socket) => {
      socket.once("data", () => socket.write(answer));
    });
    await new Promise<void>((resolve) => {
      silent.listen(0, "127.0.0.1", resolve);
    });
    const { port } = silent.address() as { port: number };
    const options = { max: 1, longestSilenceMs: 30_000 };
    const sql = openPostgres(`postgres://nobody@127.0.0.1:${port}/none${end}`, options);
    const error = await sql`select 1`.catch((error) => error);
    expect(error).toMatchObject({
      code: "CONNECT_TIMEOUT",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    await sql.end({ timeout: 1 });
    silent.close();
  },
  10_000,
);

test.concurrent("a long statement or an idle connection is not mistaken for one", async () => {
  const sql = openPostgres(database.url, { max: 1, longestSilenceMs: 4_000 });
  expect((await sql`select pg_sleep(3)`).length).toBe(1);
  const [before] = await sql`select pg_backend_pid() as pid`;
  // Closed gracefully: gone from the server without an error here.
  const isClosed = async () =>
    (await database.sql`select from pg_stat_activity where pid = ${before?.pid}`).length === 0;
  await until(isClosed, 10_000);
  expect((await sql`select 1 as one`)[0]).toEqual({ one: 1 });
  await sql.end();
});

test.concurrent.each([
  ["is not heard", "listen %"],
  ["cannot be confirmed", "select pg_notify(%"],
])(
  "an announcement that %s for seconds is reported as missing, and so is its recovery",
  async (_, query) => {
    await using own = await createDatabase();
    const sql = openPostgres(own.url, { max: 2 });
    const told: unknown[] = [];
    const announcements = await followAnnouncements(sql, logInto(told, "msg"), () => {});
    const hanging = await backendOf(own.sql, query);
    process.kill(hanging, "SIGSTOP");
    try {
      await until(() => !announcements.areCurrent(), 5_000);
      expect(announcements.areMissing()).toBe(false);
      await until(() => told.length > 0, 20_000);
      expect(announcements.areMissing()).toBe(true);
    } finally {
      process.kill(hanging, "SIGCONT");
    }
    await until(() => told.length > 1, 20_000);
    expect(announcements.areMissing()).toBe(false);
    expect(told).toEqual([
      "announcements of changes do not arrive: the cache is not used",
      "announcements of changes arrive again",
    ]);
    await announcements.stop();
    await sql.end({ timeout: 1 });
  },
);

test.concurrent("after a reconnection nothing is current before everything has been dropped", async () => {
  await using own = await createDatabase();
  const proxy = await openProxy(new URL(own.url));
  const sql = openPostgres(proxy.url, { max: 2 });
  let isForgotten = false;
  const announcements = await followAnnouncements(sql, silent, (changes) => {
    if (changes === "everything") isForgotten = true;
  });
  // The channel is never quiet.
  const payload = JSON.stringify([["other-shop", "x", null, null, 1]]);
  let isOver = false;
  const noise = (async () => {
    while (!isOver) await own.sql.notify("directory_pages", payload);
  })();
  for (let round = 0; round < 6; round++) {
    await until(() => announcements.areCurrent(), 5_000);
    await proxy.cut();
    await until(() => !announcements.areCurrent(), 5_000);
    isForgotten = false;
    await proxy.mend();
    while (!announcements.areCurrent()) await new Promise(setImmediate);
    expect([round, isForgotten]).toEqual([round, true]);
  }
  isOver = true;
  await noise;
  await announcements.stop();
  await sql.end({ timeout: 1 });
  await proxy.close();
});

test("nothing is current before the announcements missed meanwhile are delivered", async () => {
  const sql = openPostgres(database.url, { max: 2 });
  const told: string[] = [];
  const announcements = await followAnnouncements(sql, silent, (changes) => {
    if (changes !== "everything") told.push(...changes.map(({ slug }) => slug));
  });
  await until(() => announcements.areCurrent(), 5_000);
  const listener = await backendOf(database.sql, "listen %");
  process.kill(listener, "SIGSTOP");
  try {
    for (const slug of ["first", "second"]) {
      const payload = JSON.stringify([[slug, "x", null, null, 1]]);
      await database.sql.notify("directory_pages", payload);
    }
    await until(() => !announcements.areCurrent(), 5_000);
  } finally {
    process.kill(listener, "SIGCONT");
  }
  while (!announcements.areCurrent()) await new Promise(setImmediate);
  expect(told).toEqual(["first", "second"]);
  await announcements.stop();
  await sql.end({ timeout: 1 });
});

/** The pid of the connection to this database whose latest query matches. */
async function backendOf(sql: Sql, query: string): Promise<number> {
  const [{ pid }] = await sql<[{ pid: number }]>`
    select pid from pg_stat_activity
    where datname = current_database() and query ilike ${query}
    order by query_start desc limit 1`;
  return pid;
}

test("announcements are heard again after a standby behind the address is promoted", async () => {
  const folder = await newFolder();
  const first = new Supervisor(folder);
  const primary = await startPostgres(first, { durable: false });
  const proxy = await openProxy(new URL(primary.url));
  const sql = openPostgres(proxy.url, { max: 1 });
  const announcements = await followAnnouncements(sql, silent, () => {});
  await proxy.cut();
  await first.stop();

  await Bun.write(join(folder, "postgres", "standby.signal"), "");
  const second = new Supervisor(folder);
  const standby = await startPostgres(second, { durable: false });
  proxy.lead(new URL(standby.url));
  await proxy.mend();
  const log = Bun.file(join(folder, "logs", "postgres.log"));
  const isRefused = async () => (await log.text()).includes("cannot execute LISTEN");
  await until(isRefused, 5_000);
  await sql`select pg_promote()`;
  await until(() => announcements.areCurrent(), 5_000);

  await announcements.stop();
  await sql.end({ timeout: 1 });
  await proxy.close();
  await second.stop();
  await rm(folder, { recursive: true, force: true });
});

test("after a Redis failover behind the address, the new master decides", () =>
  withSupervisor(async (supervisor) => {
    // Otherwise a master waits for its replica when it shuts down.
    const settings = { "shutdown-timeout": "0" };
    const [master, replica] = await Promise.all([
      startFrailRedis(supervisor, settings),
      startFrailRedis(supervisor, settings),
    ]);
    const proxy = await openProxy(new URL(master.url));
    const redis = openRedis([proxy.url]);
    redis.on("error", () => {});
    await connectRedis(redis);
    const admission = createAdmission(redis, redisAlone);
    await admission.admitClient("198.51.100.1");
    expect(admission.state()).toEqual({ isLocal: false, outages: 0 });

    proxy.lead(new URL(replica.url));
    await master.call("REPLICAOF", "127.0.0.1", String(replica.port));
    await admission.admitClient("198.51.100.1");
    await until(() => !admission.state().isLocal, 5_000);
    await admission.admitClient("198.51.100.1");
    expect(await replica.call("EXISTS", "admissions:{198.51.100.1}")).toBe(1);

    admission.stop();
    redis.disconnect();
    await proxy.close();
  }));
