import { beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claimFolder } from "../../../scripts/stack/claim.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
import { newFolder } from "../../support.ts";

let folder: string;
beforeEach(async () => {
  folder = await newFolder();
});

test("a folder is claimed by one process at a time, and others are told which", async () => {
  const claim = await claimFolder(folder);
  expect(await readFile(join(folder, "start.pid"), "utf8")).toBe(`${process.pid}\n`);
  await expect(claimFolder(folder)).rejects.toThrow(
    `Highstreet is already running with its data in ${folder} (process ${process.pid}, still starting). Stop it first, or set DATA_DIR to another folder.`,
  );
  claim[Symbol.dispose]();
  using _again = await claimFolder(folder);
});

test("of two concurrent starts, the refused one does not name a process that it cannot know", async () => {
  using _claim = await claimFolder(folder);
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  // Not yet written, not yet created, or left by an earlier start.
  for (const text of ["", null, `${ended.pid}\n`]) {
    await rm(join(folder, "start.pid"), { force: true });
    if (text !== null) await writeFile(join(folder, "start.pid"), text);
    await expect(claimFolder(folder)).rejects.toThrow(
      `Highstreet is already running with its data in ${folder} (still starting). Stop`,
    );
  }
});

test("a folder that cannot be written to gets one clear line", async () => {
  await mkdir(join(folder, "start.pid"));
  await expect(claimFolder(folder)).rejects.toThrow(
    /^The data folder .* is not writable \(EISDIR.*\): set DATA_DIR to one that is\.$/,
  );
});

test("no other account can open, and so hold, the lock, including that of an earlier version", async () => {
  const lock = join(folder, "start.lock");
  const modeOf = async () => (await stat(lock)).mode & 0o777;
  (await claimFolder(folder))[Symbol.dispose]();
  expect(await modeOf()).toBe(0o600);
  await chmod(lock, 0o644);
  (await claimFolder(folder))[Symbol.dispose]();
  expect(await modeOf()).toBe(0o600);
});

test("files in a claimed folder are not writable by others, whatever the umask was", async () => {
  const umask = process.umask(0);
  try {
    using _claim = await claimFolder(join(folder, "data"));
    const supervisor = new Supervisor(join(folder, "data"));
    const program = { title: "A", name: "a", command: ["sh", "-c", "umask"], endsByItself: true };
    const { exited, log } = supervisor.start(program);
    await exited;
    expect(await readFile(log, "utf8")).toBe("0002\n");
    for (const name of ["", "start.pid", "run", "logs", "logs/a.log"]) {
      expect((await stat(join(folder, "data", name))).mode & 0o002).toBe(0);
    }
  } finally {
    process.umask(umask);
  }
});
