import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { runsOn } from "./leftovers.ts";

/** What `npm start` runs, as written to `DATA_DIR/stack.json`. The pid of a store that runs elsewhere is null. */
export interface Stack {
  baseUrl: string;
  databaseUrl: string;
  redisUrl: string;
  meiliUrl: string;
  meiliKey: string;
  pids: {
    server: number;
    postgres: number | null;
    redis: number | null;
    meilisearch: number | null;
  };
}

/** The running stack of a data folder; null if none is running, even if a killed one left its file. */
export async function readStack(folder: string): Promise<Stack | null> {
  let text: string;
  try {
    text = await readFile(stackFile(folder), "utf8");
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new CommandError(`Cannot read the stack's file: ${message}`);
  }
  const stack = parseStack(text);
  return stack && (await runsOn(await realpath(folder), stack.pids.server)) ? stack : null;
}

/** @returns null if the text does not describe a stack, or not all that is needed of one */
function parseStack(text: string): Stack | null {
  try {
    const stack = JSON.parse(text) as Partial<Stack> | null;
    const isWhole =
      ADDRESSES.every((name) => typeof stack?.[name] === "string") &&
      typeof stack?.pids?.server === "number";
    return isWhole ? (stack as Stack) : null;
  } catch {
    return null;
  }
}

const ADDRESSES = ["baseUrl", "databaseUrl", "redisUrl", "meiliUrl", "meiliKey"] as const;

/** Readers see the whole file or none. Only its owner may read it, since it contains passwords. */
export async function writeStack(folder: string, stack: Stack): Promise<void> {
  const draft = `${stackFile(folder)}.new`;
  await writeFile(draft, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, stackFile(folder));
}

export async function removeStack(folder: string): Promise<void> {
  await rm(stackFile(folder), { force: true });
}

const stackFile = (folder: string) => join(folder, "stack.json");
