import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmod,
  chown,
  cp,
  lchown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { unprivilegedAccount } from "../../../scripts/stack/account.ts";
import { claimFolder } from "../../../scripts/stack/claim.ts";
import { makeExecutable } from "../../../scripts/stack/meilisearch.ts";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { newFolder, runProgram } from "../../support.ts";

// Data and programs owned by another account.

const isRoot = process.getuid?.() === 0;
const SOMEBODY = 54_321;

let folder: string;
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => rm(folder, { recursive: true }));

test.if(isRoot)("root refuses another account's data folder and leaves it unchanged", async () => {
  const secret = join(folder, "secret");
  const data = join(folder, "data");
  const link = join(folder, "link");
  await writeFile(secret, "ours");
  await mkdir(data);
  await symlink(secret, join(data, "start.pid"));
  await chown(data, SOMEBODY, SOMEBODY);
  await symlink(data, link);
  for (const named of [data, link]) {
    const { message } = await claimFolder(named).catch((error) => error);
    expect(message).toBe(
      `The data folder ${named} belongs to another account (uid 54321): start as that account, or set DATA_DIR to another folder.`,
    );
  }
  expect([await readdir(data), await readFile(secret, "utf8")]).toEqual([["start.pid"], "ours"]);

  // A link owned by another account, which leads to our folder for now.
  await rm(link);
  await symlink(folder, link);
  await lchown(link, SOMEBODY, SOMEBODY);
  await expect(claimFolder(link)).rejects.toThrow("belongs to another account (uid 54321)");

  // Our folder, in which another account has started a stack.
  await writeFile(join(folder, "start.lock"), "");
  await chown(join(folder, "start.lock"), SOMEBODY, SOMEBODY);
  await expect(claimFolder(folder)).rejects.toThrow("belongs to another account (uid 54321)");
});

test("a world-writable data folder is refused until that is fixed, through whatever link", async () => {
  const data = join(folder, "data");
  const link = join(folder, "link");
  await mkdir(data);
  await symlink(data, link);
  await writeFile(join(data, "redis.password"), "theirs");
  await chmod(data, 0o777);
  await expect(claimFolder(link)).rejects.toThrow(
    `The data folder ${link} is writable by every account: run chmod o-w on it, or set DATA_DIR`,
  );
  expect(await readdir(data)).toEqual(["redis.password"]);
  // Many systems give each account a group of its own, which may write to the account's files.
  await chmod(data, 0o775);
  (await claimFolder(link))[Symbol.dispose]();
});

test("an empty data folder is closed to other accounts", async () => {
  await chmod(folder, 0o777);
  (await claimFolder(folder))[Symbol.dispose]();
  expect((await stat(folder)).mode & 0o777).toBe(0o775);
});

test.if(isRoot)("a copy of a data folder starts, whoever owns the copy", async () => {
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

test.if(isRoot)(
  "PostgreSQL works below a folder that only root may enter, and writes nothing there",
  async () => {
    await chmod(folder, 0o700);
    const supervisor = new Supervisor(folder);
    try {
      const { url } = await startPostgres(supervisor, { durable: false });
      await using sql = openPostgres(url, { max: 1 });
      const written = sql.unsafe(`copy (select 1) to '${join(folder, "written")}'`);
      await expect(written.execute()).rejects.toThrow("Permission denied");
      // In a clone there, it has to find its own program as well, with access(2), like this.
      const account = await unprivilegedAccount(process.execPath, folder);
      const program = `require("fs").accessSync(${JSON.stringify(join(folder, "run"))})`;
      const command = [...(account?.prefix ?? []), process.execPath, "-e", program];
      expect(await runProgram(command)).toMatchObject({ stderr: "", exitCode: 0 });
    } finally {
      await supervisor.stop();
    }
  },
);

/** Starts PostgreSQL as another process, whose rights the command's first words reduce, and stops it. */
const startedWith = (reduced: string[]) =>
  runProgram([
    ...reduced,
    process.execPath,
    "-e",
    `import { startPostgres } from "${join(import.meta.dir, "../../../scripts/stack/postgres.ts")}";
    import { Supervisor } from "${join(import.meta.dir, "../../../scripts/stack/supervisor.ts")}";
    const supervisor = new Supervisor(process.argv[1]);
    await startPostgres(supervisor, { durable: false })
      .catch((error) => console.log(error.constructor.name, error.message))
      .finally(() => supervisor.stop());`,
    folder,
  ]);

test.if(isRoot)(
  "root that could not end PostgreSQL, read its files, or let it into its folder, does not start it",
  async () => {
    await chmod(folder, 0o700);
    for (const [dropped, named] of [
      ["-kill", "CAP_KILL"],
      ["-chown,-dac_override,-dac_read_search", "CAP_CHOWN, CAP_DAC_OVERRIDE"],
      ["-setpcap", "CAP_SETPCAP"],
    ]) {
      const { stdout, stderr } = await startedWith(["setpriv", `--bounding-set=${dropped}`]);
      expect(stderr).toBe("");
      expect(stdout.trim()).toBe(
        `CommandError PostgreSQL does not run as root, and to run it as another account, root lacks ${named} here: start as another user, or set DATABASE_URL.`,
      );
    }
  },
);

const canMapRoot =
  Bun.which("unshare") !== null && Bun.spawnSync(["unshare", "-r", "true"]).success;

test.if(isRoot && canMapRoot)(
  "root of a namespace that lacks PostgreSQL's account says so",
  async () => {
    const { stdout, stderr } = await startedWith(["unshare", "-r"]);
    expect(stderr).toBe("");
    expect(stdout).toStartWith("CommandError PostgreSQL's data cannot be given to its account: ");
  },
);

test.if(process.platform === "linux")(
  "a program that cannot be made executable gets one clear line",
  async () => {
    const program = join(folder, "program");
    await writeFile(program, "", { mode: 0o600 });
    await makeExecutable(program);
    expect((await stat(program)).mode & 0o777).toBe(0o711);
    // Immutable, even for root.
    await expect(makeExecutable("/proc/self/status")).rejects.toThrow(
      /^Meilisearch cannot be made executable \(EPERM.*\): let its owner run `chmod \+x`/,
    );
  },
);
