import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { readStack } from "./environment.ts";
import { isAlive } from "./waiting.ts";

/**
 * Claims a data folder for this process, creating it if need be. The claim is a lock on an empty
 * SQLite file, which the system releases however the process ends, so it cannot go stale. Dispose of
 * it to release it earlier; it is also released when nothing refers to it any more.
 * @throws CommandError when another process holds it, the folder cannot be written, or we are root and
 * what is in it belongs to somebody else
 */
export async function claimFolder(folder: string): Promise<Disposable> {
  const pidFile = join(folder, "start.pid");
  const lockFile = join(folder, "start.lock");
  let lock: Database;
  let owner: number;
  try {
    mkdirSync(folder, { recursive: true });
    lock = new Database(lockFile);
    owner = statSync(lockFile).uid;
  } catch (error) {
    throw unusable(folder, error);
  }
  if (process.getuid?.() === 0 && owner !== 0) {
    lock.close();
    throw new CommandError(
      `The data in ${folder} belong to another account (uid ${owner}), which could not use what root writes there: start as that one, or set DATA_DIR to another folder.`,
    );
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

/** Empty if the file is not written yet, or still the one of an earlier start. */
function processIn(pidFile: string): string {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
  return pid > 0 && isAlive(pid) ? `process ${pid}` : "";
}

function unusable(folder: string, error: unknown): CommandError {
  return new CommandError(
    `The data folder ${folder} cannot be written (${(error as Error).message}): set DATA_DIR to one that can.`,
  );
}
