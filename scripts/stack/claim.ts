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
 * Claims a data folder for this process, creating it if need be. The claim is a lock on an empty
 * SQLite file, which the system releases however the process ends, so it cannot go stale. Dispose of
 * it to release it earlier; it is also released when nothing refers to it any more.
 * From then on neither this process nor what it starts makes a file that every account may change: in a
 * `logs/` that is open to all, a link in place of a log would have us write another file.
 * @throws CommandError when another process holds it, the folder cannot be written, or others than we and
 * root may change what is in it
 */
export async function claimFolder(folder: string): Promise<Disposable> {
  const pidFile = join(folder, "start.pid");
  const lockFile = join(folder, "start.lock");
  let lock: Database;
  process.umask(process.umask() | EVERYBODY_WRITES);
  try {
    mkdirSync(folder, { recursive: true });
    refuseFolderOfOthers(folder, lockFile);
    // Whoever may read a file may lock it, and so keep us from starting.
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
      `Highstreet already runs with its data in ${folder} (${found.join(", ")}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
}

/** Its passwords would be theirs, and a link there would lead us into other files. */
function refuseFolderOfOthers(folder: string, lockFile: string): void {
  const found = statSync(folder);
  const owners = [
    found.uid,
    // The folder may be named by a link, whose owner may lead it elsewhere.
    lstatSync(folder).uid,
    // Whoever has started here before could not use what we write.
    lstatSync(lockFile, { throwIfNoEntry: false })?.uid ?? 0,
  ];
  const other = owners.find((uid) => uid !== 0 && uid !== process.getuid?.());
  if (other !== undefined) {
    throw new CommandError(
      `The data folder ${folder} belongs to another account (uid ${other}): start as that one, or set DATA_DIR to another folder.`,
    );
  }
  if ((found.mode & EVERYBODY_WRITES) === 0) return;
  if (readdirSync(folder).length > 0) {
    throw new CommandError(
      `Every account may write to the data folder ${folder}: take that away with chmod o-w, or set DATA_DIR to another folder.`,
    );
  }
  // Nobody has put anything into it yet.
  chmodSync(folder, found.mode & ~EVERYBODY_WRITES);
}

const EVERYBODY_WRITES = 0o002;

/** Empty if the file is not written yet, or still the one of an earlier start. */
function processIn(pidFile: string): string {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
  return pid > 0 && isAlive(pid) ? `process ${pid}` : "";
}

function unusable(folder: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(
    `The data folder ${folder} cannot be written (${(error as Error).message}): set DATA_DIR to one that can.`,
  );
}
