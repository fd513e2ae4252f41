import { afterAll, beforeEach, expect } from "bun:test";
import { join } from "node:path";
import { type FileOptions, importFile } from "../../../scripts/import/file.ts";
import {
  createDatabase,
  newFolder,
  outputOf,
  scriptCommand,
  storesEnvironment,
} from "../../support.ts";

/** The line of a complete record. */
export const record = (sourceId: string, more: object = {}) =>
  JSON.stringify({
    sourceId,
    name: `Shop ${sourceId}`,
    category: "bakeries",
    city: "Leeds",
    address: { line1: "1 Briggate", postcode: "LS1 6HD" },
    coordinates: { lat: 53.8, lng: -1.5 },
    ...more,
  });

/**
 * A directory for the tests of one file, which is emptied before each of them, a folder for what they import, and
 * ways to do so.
 */
export async function openDirectory() {
  const { sql, url, drop } = await createDatabase();
  const folder = await newFolder();
  afterAll(drop);
  beforeEach(async () => {
    await sql`delete from businesses`;
    await sql`delete from cities`;
    await sql`delete from search_changes`;
  });

  let written = 0;
  /** Writes a new file into the folder. Returns its path. */
  async function write(content: string | Uint8Array, extension = "ndjson"): Promise<string> {
    const file = join(folder, `${++written}.${extension}`);
    await Bun.write(file, content);
    return file;
  }

  /** Starts the command, in the folder. */
  function start(args: readonly string[], env: Record<string, string | undefined> = {}) {
    const child = Bun.spawn(scriptCommand("import", args), {
      cwd: folder,
      env: { ...storesEnvironment(url), ...env },
      stdout: "pipe",
      stderr: "pipe",
    });
    const { pid } = child;
    return { pid, ended: outputOf(child), kill: (signal: NodeJS.Signals) => child.kill(signal) };
  }

  /** Runs the command to its end. */
  const run = (args: readonly string[]) => start(args).ended;

  /** Runs it with `--json`. */
  async function runJson(args: readonly string[]) {
    const { stdout, stderr, exitCode } = await run([...args, "--json"]);
    expect(stdout.trimEnd().split("\n").length).toBe(1);
    return { counts: JSON.parse(stdout) as Counts & { files: Counts[] }, stderr, exitCode };
  }

  /** Imports without the command, where what it prints does not matter: that takes a tenth of the time. */
  function load(file: string, options: Partial<FileOptions> = {}) {
    const none = { format: null, source: null, mapping: null, outcodes: undefined };
    const all = { ...none, status: "approved", dryRun: false, dropped: false, ...options } as const;
    return importFile(sql, file, all, () => {});
  }

  /** How many businesses there are. */
  const count = async () =>
    (await sql`select count(*)::integer as count from businesses`)[0]?.count;

  return { sql, url, folder, write, start, run, runJson, load, count };
}

interface Counts {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  pending: number;
  unusable: Record<string, number>;
}
