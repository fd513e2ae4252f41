import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { CommandError } from "../terminal/command.ts";
import { runsOn } from "./leftovers.ts";

const stackJson = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    baseUrl: v.string(),
    databaseUrl: v.string(),
    redisUrl: v.string(),
    meiliUrl: v.string(),
    meiliKey: v.string(),
    pids: v.object({
      server: v.number(),
      postgres: v.nullable(v.number()),
      redis: v.nullable(v.number()),
      meilisearch: v.nullable(v.number()),
    }),
  }),
);

/** What `npm start` runs, as written to `DATA_DIR/stack.json`. The pid of a store it did not start is null. */
export type Stack = v.InferOutput<typeof stackJson>;

/** The running stack of a data folder; null if none is running, even if a killed one left its file behind. */
export async function readStack(folder: string): Promise<Stack | null> {
  let text: string;
  try {
    text = await readFile(stackFile(folder), "utf8");
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new CommandError(`Cannot read stack.json: ${message}`);
  }
  const parsed = v.safeParse(stackJson, text);
  if (!parsed.success) return null;
  const stack = parsed.output;
  return (await runsOn(await realpath(folder), stack.pids.server)) ? stack : null;
}

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
