import { Database } from "bun:sqlite";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { readStack } from "./stack-file.ts";
import { isAlive } from "./waiting.ts";

/**
 * Claims a data folder for this process, creating it if necessary. The claim is a lock on an empty
 * SQLite file, which the system releases however the process ends, so it cannot go stale. Dispose of
 * it to release it earlier; garbage collection releases it too.
 * From then on neither this process nor its children create world-writable files: in a world-writable
 * `logs/`, a link in place of a log would have us overwrite another file.
 * @throws CommandError when another process holds it, the folder cannot be written, or accounts other than
 * ours and root may change its contents
 */
export async function claimFolder(folder: string): Promise<Disposable> {
  const pidFile = join(folder, "start.pid");
  const lockFile = join(folder, "start.lock");
  let lock: Database;
  process.umask(process.umask() | EVERYBODY_WRITES);
  try {
    mkdirSync(folder, { recursive: true });
    refuseFolderOfOthers(folder, lockFile);
    // Whoever can read a file can lock it, and so keep us from starting.
    if (!existsSync(lockFile)) writeFileSync(lockFile, "", { flag: "a", mode: 0o600 });
    chmodSync(lockFile, 0o600);
    lock = new Database(lockFile);
  } catch (error) {
    throw unusable(folder, error);
  }
  try {
    lock.run("begin exclusive");
    writeFileSync(pidFile, `${process.pid}\n`);
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw unusable(folder, error);
    const stack = await readStack(folder);
    const found = [processIn(pidFile), stack?.baseUrl ?? "still starting"].filter(Boolean);
    throw new CommandError(
      `Highstreet is already running with its data in ${folder} (${found.join(", ")}). Stop it first, or set DATA_DIR to another folder.`,
    );
  }
}

/** Its owner could read our passwords, and lead us into other files with a link. */
function refuseFolderOfOthers(folder: string, lockFile: string): void {
  const found = statSync(folder);
  const owners = [
    found.uid,
    // The folder may be a link, whose owner can point it elsewhere.
    lstatSync(folder).uid,
    // Whoever has started here before could not use the files that we write.
    lstatSync(lockFile, { throwIfNoEntry: false })?.uid ?? 0,
  ];
  const other = owners.find((uid) => uid !== 0 && uid !== process.getuid?.());
  if (other !== undefined) {
    throw new CommandError(
      `The data folder ${folder} belongs to another account (uid ${other}): start as that account, or set DATA_DIR to another folder.`,
    );
  }
  if ((found.mode & EVERYBODY_WRITES) === 0) return;
  if (readdirSync(folder).length > 0) {
    throw new CommandError(
      `The data folder ${folder} is writable by every account: run chmod o-w on it, or set DATA_DIR to another folder.`,
    );
  }
  // Nobody has put anything into it yet.
  chmodSync(folder, found.mode & ~EVERYBODY_WRITES);
}

const EVERYBODY_WRITES = 0o002;

/** Empty if the file is not written yet, or is left over from an earlier start. */
function processIn(pidFile: string): string {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
  return pid > 0 && isAlive(pid) ? `process ${pid}` : "";
}

function unusable(folder: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(
    `The data folder ${folder} is not writable (${(error as Error).message}): set DATA_DIR to one that is.`,
  );
}
