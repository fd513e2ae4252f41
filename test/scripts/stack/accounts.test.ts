import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimFolder } from "../../../scripts/stack/claim.ts";
import { makeExecutable } from "../../../scripts/stack/meilisearch.ts";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";

// Data and programs that belong to another account.

const isRoot = process.getuid?.() === 0;
const SOMEBODY = 54_321;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "highstreet-accounts-"));
  // PostgreSQL has to pass.
  await chmod(folder, 0o711);
});
afterEach(() => rm(folder, { recursive: true }));

test.if(isRoot)("root leaves alone a data folder that somebody else uses", async () => {
  await chown(folder, SOMEBODY, SOMEBODY);
  // What nobody has used yet may be anybody's.
  (await claimFolder(folder))[Symbol.dispose]();
  for (const name of await readdir(folder)) await rm(join(folder, name));

  await writeFile(join(folder, "start.lock"), "");
  await chown(join(folder, "start.lock"), SOMEBODY, SOMEBODY);
  await expect(claimFolder(folder)).rejects.toThrow(
    /^The data in .* belong to another account \(uid 54321\).*: start as that one, or set DATA_DIR/,
  );
  expect(await readdir(folder)).toEqual(["start.lock"]);
});

test.if(isRoot)("a copy of a data folder starts, whoever made the copy", async () => {
  const [original, copy] = [join(folder, "original"), join(folder, "copy")];
  const startAndStop = async (place: string) => {
    const supervisor = new Supervisor(place);
    await startPostgres(supervisor, { durable: false }).finally(() => supervisor.stop());
  };
  await mkdir(original);
  await startAndStop(original);
  await cp(original, copy, { recursive: true });
  expect((await stat(join(copy, "postgres"))).uid).toBe(0);
  await startAndStop(copy);
});

test.if(process.platform === "linux")(
  "a program that cannot be made executable is told of in one line",
  async () => {
    const program = join(folder, "program");
    await writeFile(program, "", { mode: 0o600 });
    await makeExecutable(program);
    expect((await stat(program)).mode & 0o777).toBe(0o711);
    // Not even root may change this one.
    await expect(makeExecutable("/proc/self/status")).rejects.toThrow(
      /^Meilisearch cannot be made executable \(EPERM.*\): let its owner run `chmod \+x`/,
    );
  },
);
