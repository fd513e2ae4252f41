import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import { readStack } from "./environment.ts";

/**
 * Claims a data folder for this process, creating it if need be. The claim is a lock on an empty
 * SQLite file, which the system releases however the process ends, so it cannot go stale. Dispose of
 * it to release it earlier; it is also released when nothing refers to it any more.
 * @throws CommandError when another process holds it, or the folder cannot be written
 */
export async function claimFolder(folder: string): Promise<Disposable> {
  const pidFile = join(folder, "start.pid");
  let lock: Database;
  try {
    mkdirSync(folder, { recursive: true });
    lock = new Database(join(folder, "start.lock"));
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
    const where = stack ? `, ${stack.baseUrl}` : ", still starting";
    throw new CommandError(
      `Highstreet already runs with its data in ${folder} (process ${readFileSync(pidFile, "utf8").trim()}${where}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
}

function unusable(folder: string, error: unknown): CommandError {
  return new CommandError(
    `The data folder ${folder} cannot be written (${(error as Error).message}): set DATA_DIR to one that can.`,
  );
}
