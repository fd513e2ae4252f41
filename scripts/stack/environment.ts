import { resolve } from "node:path";
import { type Config, type Environment, givenIn, loadConfig } from "../../src/config.ts";
import { CommandError } from "../terminal/command.ts";
import { say } from "../terminal/output.ts";
import { readStack } from "./stack-file.ts";

/**
 * The settings of a script: unset addresses are those of a running `npm start` with the same DATA_DIR.
 * @param warn called when set addresses differ from those: a search index could be filled from another
 * directory's data
 * @throws CommandError when an address is unset and no stack is running; ConfigError when a setting is wrong
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
      `No stack is running with its data in ${folder}, or it is not ready yet: run \`npm start\` and wait until it is listening, or set DATABASE_URL, REDIS_URL and MEILI_URL.`,
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
      `Using ${others.join(" and ")} as set, but ${taken.join(" and ")} from the stack in ${folder}: they may belong to different directories.`,
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

/**
 * DATA_DIR as an absolute path.
 * @throws CommandError when it begins with ~, which would be a folder of that name in the current one
 */
export function dataFolder(env: Environment): string {
  const { DATA_DIR = ".data" } = givenIn(env);
  if (DATA_DIR.startsWith("~")) {
    throw new CommandError(
      `DATA_DIR (${DATA_DIR}) begins with ~, which only a shell replaces with a home folder: write the whole path.`,
    );
  }
  return resolve(DATA_DIR);
}
