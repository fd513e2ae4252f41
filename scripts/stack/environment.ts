import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, type Environment, givenIn, loadConfig } from "../../src/config.ts";
import { CommandError } from "../terminal/command.ts";
import { say } from "../terminal/output.ts";
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

/**
 * The settings of a script: addresses that are not set are taken from the stack of a running `npm start` with
 * the same DATA_DIR.
 * @param warn told when what is set leads elsewhere: a directory's search could be filled from another's data
 * @throws CommandError when that is needed and none is running; ConfigError when a setting is wrong
 */
export async function scriptConfig(
  env: Environment = process.env,
  warn: (line: string) => void = say,
): Promise<Config> {
  const given = givenIn(env);
  if (given.DATABASE_URL && given.REDIS_URL && given.MEILI_URL) return loadConfig(given);
  const folder = dataFolder(env);
  const stack = await readStack(folder);
  if (!stack) {
    throw new CommandError(
      `No stack runs with its data in ${folder}: run \`npm start\` first, or set DATABASE_URL, REDIS_URL and MEILI_URL.`,
    );
  }
  const ofStack: Environment = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    MEILI_URL: stack.meiliUrl,
  };
  const names = Object.keys(ofStack);
  const taken = names.filter((name) => !given[name]);
  const others = names.filter((name) => given[name] && given[name] !== ofStack[name]);
  if (others.length > 0) {
    warn(
      `Taking ${others.join(" and ")} as set, but ${taken.join(" and ")} from the stack in ${folder}: they may be of different directories.`,
    );
  }
  return loadConfig({
    BASE_URL: stack.baseUrl,
    ...ofStack,
    ...given,
    // A key belongs to its server, so they are taken together.
    ...(!given.MEILI_URL && { MEILI_KEY: stack.meiliKey }),
  });
}

/** DATA_DIR as an absolute path. */
export function dataFolder(env: Environment): string {
  return resolve(givenIn(env).DATA_DIR ?? ".data");
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
