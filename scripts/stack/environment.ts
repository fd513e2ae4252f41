import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandError } from "../terminal/command.ts";
import { say } from "../terminal/output.ts";
import { runsOn } from "./leftovers.ts";

type Environment = Record<string, string | undefined>;

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
 * The environment for a script: addresses that are not set are taken from the stack of a running
 * `npm start` with the same DATA_DIR.
 * @param warn told when what is set leads elsewhere: a directory's search could be filled from another's data
 * @throws CommandError when that is needed and none is running
 */
export async function scriptEnvironment(
  env: Environment = process.env,
  warn: (line: string) => void = say,
): Promise<Environment> {
  if (isSet(env.DATABASE_URL) && isSet(env.REDIS_URL) && isSet(env.MEILI_URL)) return env;
  const stack = await readStack(dataFolder(env));
  if (!stack) {
    throw new CommandError(
      `No stack runs with its data in ${dataFolder(env)}: run \`npm start\` first, or set DATABASE_URL, REDIS_URL and MEILI_URL.`,
    );
  }
  warnOfMixture(env, stack, warn);
  return {
    ...env,
    BASE_URL: isSet(env.BASE_URL) ? env.BASE_URL : stack.baseUrl,
    DATABASE_URL: isSet(env.DATABASE_URL) ? env.DATABASE_URL : stack.databaseUrl,
    REDIS_URL: isSet(env.REDIS_URL) ? env.REDIS_URL : stack.redisUrl,
    // A key belongs to its server, so they are taken together.
    ...(!isSet(env.MEILI_URL) && { MEILI_URL: stack.meiliUrl, MEILI_KEY: stack.meiliKey }),
  };
}

/** Says so if something that is set is another than that of the stack, which is to give the rest. */
function warnOfMixture(env: Environment, stack: Stack, warn: (line: string) => void): void {
  const ofStack: Environment = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    MEILI_URL: stack.meiliUrl,
  };
  const names = Object.keys(ofStack);
  const taken = names.filter((name) => !isSet(env[name]));
  const others = names.filter((name) => isSet(env[name]) && env[name].trim() !== ofStack[name]);
  if (others.length === 0) return;
  warn(
    `Taking ${others.join(" and ")} as set, but ${taken.join(" and ")} from the stack in ${dataFolder(env)}: they may be of different directories.`,
  );
}

/** DATA_DIR as an absolute path. */
export function dataFolder(env: Environment): string {
  return resolve(isSet(env.DATA_DIR) ? env.DATA_DIR.trim() : ".data");
}

/** Whether a variable has a value. Shells and compose files say "not set" with an empty one. */
export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
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
