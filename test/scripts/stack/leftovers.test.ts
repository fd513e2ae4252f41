import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unprivilegedAccount } from "../../../scripts/stack/account.ts";
import { endLeftovers, endOrphans, runsOn } from "../../../scripts/stack/leftovers.ts";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
import { until } from "../../../scripts/stack/waiting.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { newFolder } from "../../support.ts";

// What a killed run has left behind; its pids may have been reused since.

let folder: string;
const programs: Bun.Subprocess[] = [];
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(async () => {
  for (const program of programs.splice(0)) program.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

function run(command: string[]): Bun.Subprocess {
  const program = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  programs.push(program);
  return program;
}

test("a first run finds nothing to end, and unreadable pid files are an error", async () => {
  await endLeftovers(folder);
  await writeFile(join(folder, "run"), "");
  await expect(endLeftovers(folder)).rejects.toThrow("ENOTDIR");
});

test("the programs of a killed run are ended, but not others that have reused their pids", async () => {
  // The shell's last argument, $0, only marks its command line.
  const left = run(["/bin/sh", "-c", "sleep 60; true", join(folder, "data")]);
  const cut = run(["/bin/sh", "-c", "sleep 60; true", join(folder, "data")]);
  const other = run(["/bin/sh", "-c", "sleep 60; true", "elsewhere"]);
  await until(() => runsOn(folder, left.pid), 10_000);
  await until(() => runsOn(folder, cut.pid), 10_000);
  const pids = join(folder, "run");
  await mkdir(pids);
  await writeFile(join(pids, "left.pid"), `${left.pid} HUP\n`);
  await writeFile(join(pids, "cut.pid"), `${cut.pid}`);
  await writeFile(join(pids, "other.pid"), `${other.pid} TERM\n`);
  await writeFile(join(pids, "empty.pid"), "");
  await endLeftovers(folder);
  await Promise.all([left.exited, cut.exited]);
  expect([left, cut, other].map(({ signalCode }) => signalCode)).toEqual([
    "SIGHUP",
    "SIGTERM",
    null,
  ]);
  expect(await readdir(pids)).toEqual([]);
});

test.each([
  ["data", true],
  ["data/postgres", true],
  ["data2", false],
  ["data2/postgres", false],
  ["data.old", false],
])("what runs on the folder data is told by whole names: %s", async (name, expected) => {
  const path = join(folder, name);
  for (const args of [[path], ["-D", path], [`--db-path=${path}`, "last"]]) {
    const { pid } = run(["/bin/sh", "-c", "sleep 60; true", ...args]);
    // Its command line is empty until it has started.
    await until(() => runsOn(path, pid), 10_000);
    expect(await runsOn(join(folder, "data"), pid)).toBe(expected);
    expect(await runsOn("/data", pid)).toBe(false);
  }
});

test("a program that ends by itself just before it is signalled is no error", async () => {
  const left = run(["/bin/sh", "-c", "sleep 60; true", join(folder, "data")]);
  const ended = run(["true"]);
  await ended.exited;
  const pids = join(folder, "run");
  await mkdir(pids);
  await writeFile(join(pids, "left.pid"), `${left.pid} TERM\n`);
  const { kill } = process;
  const late = spyOn(process, "kill").mockImplementation((pid, signal) => {
    if (signal !== "SIGTERM") return kill(pid, signal);
    left.kill("SIGKILL");
    // What the system answers for a process that is gone.
    return kill(ended.pid, signal);
  });
  await endLeftovers(folder).finally(() => late.mockRestore());
  await left.exited;
  expect(left.signalCode).toBe("SIGKILL");
  expect(await readdir(pids)).toEqual([]);
});

test("PostgreSQL starts although another program has the pid in its lock file", async () => {
  const killed = new Supervisor(folder);
  const { pid } = await startPostgres(killed, { durable: false });
  process.kill(pid, "SIGKILL");
  await killed.failure.catch(() => {});
  await killed.stop();
  const lockFile = join(folder, "postgres", "postmaster.pid");
  const lines = (await readFile(lockFile, "utf8")).split("\n");
  expect(lines[0]).toBe(String(pid));
  // Of the same account; otherwise PostgreSQL would recognise by itself that it is not one of its own.
  const account = await unprivilegedAccount("/bin/sh", folder);
  const other = run([...(account?.prefix ?? []), "sleep", "60"]);
  await writeFile(lockFile, [other.pid, ...lines.slice(1)].join("\n"));

  const supervisor = new Supervisor(folder);
  await startPostgres(supervisor, { durable: false }).finally(() => supervisor.stop());
  expect(other.signalCode).toBeNull();
});

test("PostgreSQL starts although a statement goes on of one whose first process was killed", async () => {
  const killed = new Supervisor(folder);
  const { url, pid } = await startPostgres(killed, { durable: false });
  await using sql = openPostgres(url, { max: 2 });
  const statement = sql
    .unsafe(
      `do $$ declare theend constant timestamptz := clock_timestamp() + interval '60 seconds';
      begin while clock_timestamp() < theend loop end loop; end $$`,
    )
    .catch(() => {});
  await until(async () => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::integer as count from pg_stat_activity
      where state = 'active' and query like 'do %'`;
    return count === 1;
  }, 20_000);
  process.kill(pid, "SIGKILL");
  await killed.failure.catch(() => {});
  await killed.stop();
  // Somebody looks around in the data, which does not make it a process of PostgreSQL.
  const shell = Bun.spawn(["sleep", "60"], { cwd: join(folder, "postgres") });
  programs.push(shell);
  // As root in a container, which cannot look into the processes of other accounts.
  const less = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"];
  const inContainer = Bun.spawn(
    [
      ...(process.getuid?.() === 0 ? less : []),
      process.execPath,
      "-e",
      `import { startPostgres } from "./scripts/stack/postgres.ts";
      import { Supervisor } from "./scripts/stack/supervisor.ts";
      const supervisor = new Supervisor(process.argv[1]);
      await startPostgres(supervisor, { durable: false }).finally(() => supervisor.stop());`,
      folder,
    ],
    { cwd: join(import.meta.dir, "../../.."), stderr: "pipe" },
  );
  programs.push(inContainer);
  expect(await new Response(inContainer.stderr).text()).toBe("");
  await statement;
  expect(shell.signalCode).toBeNull();

  const supervisor = new Supervisor(folder);
  try {
    const next = await startPostgres(supervisor, { durable: false });
    await using again = openPostgres(next.url, { max: 1 });
    const [before] = await again`select pg_backend_pid() as pid`;
    await endOrphans(join(folder, "postgres"));
    // It leaves alone what runs as it should.
    const [after] = await again`select pg_backend_pid() as pid`;
    expect(after).toEqual(before);
  } finally {
    await supervisor.stop();
  }
});
