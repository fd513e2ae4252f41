import { hash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { isAlive, until } from "./waiting.ts";

const TIMEOUT_MS = 10_000;

/** Stops the processes that a killed run left behind, and removes their pid files. */
export async function endLeftovers(folder: string): Promise<void> {
  const run = join(folder, "run");
  const names = await readdir(run).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(run, name), "utf8");
      // A full disk may have left the file without its signal.
      const [pid, signal = "TERM"] = text.trim().split(" ");
      await endLeftover(Number(pid), `SIG${signal}` as NodeJS.Signals, folder);
      await rm(join(run, name), { force: true });
    }),
  );
}

/**
 * Ends what is left of a PostgreSQL whose first process was killed: each of the others goes on until its statement or
 * its checkpoint is over, and no PostgreSQL starts beside it. The next one recovers what was committed.
 * @param data the data folder as it was given to the first process
 */
export async function endOrphans(data: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (const pid of await orphansOf(data)) send(pid, "SIGKILL");
  await until(async () => (await orphansOf(data)).length === 0, TIMEOUT_MS);
}

/**
 * A name for the PostgreSQL on a data folder. The command lines of its processes begin with it, and name the folder
 * only in that of the first. In which folder they work may be hidden, in a container from root as well.
 */
export const clusterName = (data: string) =>
  `highstreet-${hash("sha256", data, "hex").slice(0, 16)}`;

async function orphansOf(data: string): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const areOrphans = await Promise.all(pids.map((pid) => isOrphan(pid, data)));
  return pids.filter((_, place) => areOrphans[place]);
}

async function isOrphan(pid: number, data: string): Promise<boolean> {
  const read = (name: string) => readFile(`/proc/${name}`, "utf8").catch(() => "");
  if (!(await read(`${pid}/cmdline`)).startsWith(`postgres: ${clusterName(data)}: `)) return false;
  const [, parent] = /^PPid:\s+(\d+)/m.exec(await read(`${pid}/status`)) ?? [];
  const first = await read(`${parent}/cmdline`);
  // One whose parent cannot be read is left alone.
  return first !== "" && !first.split("\0").includes(data);
}

/** Whether this process was started on that folder. The pid alone may have been reused. */
export async function runsOn(folder: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const commandLine =
    process.platform === "linux"
      ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      : await $`ps -ww -o command= -p ${pid}`.nothrow().text();
  // Only a whole path counts: of .data and .data2, one is a prefix of the other.
  return new RegExp(`(^|[\\s\\0=])${RegExp.escape(folder)}([/\\s\\0]|$)`).test(commandLine);
}

async function endLeftover(pid: number, signal: NodeJS.Signals, folder: string): Promise<void> {
  if (!(pid > 0 && (await runsOn(folder, pid)))) return;
  send(pid, signal);
  const isGone = async () => !(await runsOn(folder, pid));
  await until(isGone, TIMEOUT_MS).catch(async () => {
    send(pid, "SIGKILL");
    await until(isGone, TIMEOUT_MS);
  });
}

/** Sends a signal, unless the process has exited in the meantime. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
