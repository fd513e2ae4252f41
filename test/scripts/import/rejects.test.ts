import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rejects } from "../../../scripts/import/rejects.ts";
import { newFolder, runProgram, scriptCommand, storesEnvironment } from "../../support.ts";
import { openDirectory, record } from "./directory.ts";

const SCRIPTS = join(import.meta.dir, "..", "..", "..", "scripts");
const { url, folder, run, load, write, count } = await openDirectory();

test("rejected rows are written with line, reason and row; a clean run removes the file of an earlier one", async () => {
  const file = await write(`${record("1")}\n{"broken\n\n${record("3", { name: "" })}\n42\n`);
  const { stdout } = await run([file]);
  const rejects = await Bun.file(`${file}.rejects.ndjson`).text();
  const rows = rejects
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.toSorted((a, b) => a.line - b.line)).toEqual([
    { line: 2, reason: "the line is not JSON", row: '{"broken' },
    { line: 4, reason: "name is missing", row: JSON.parse(record("3", { name: "" })) },
    { line: 5, reason: "the row is not an object", row: 42 },
  ]);
  expect(stdout).toContain("read 4, created 1, updated 0, unchanged 0, rejected 3");
  expect(stdout).toContain("1  name is missing");
  expect(stdout).toContain(`${file}.rejects.ndjson`);

  await Bun.write(file, record("1"));
  await load(file);
  expect(existsSync(`${file}.rejects.ndjson`)).toBe(false);
});

test("when rejected rows cannot be written, nothing of the file is kept, and the others come in", async () => {
  const first = await write(`${record("1")}\nbroken\n`);
  const second = await write(record("2"));
  await mkdir(`${first}.rejects.ndjson`);
  const { stdout, stderr, exitCode } = await run([first, second]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^The rejected rows cannot be written: .+ Nothing of it was kept\.\n$/);
  expect(stdout).toContain("All files: read 1, created 1,");
  expect(await count()).toBe(1);
});

test("more files with rejected rows are imported than may be open at a time", async () => {
  const files = await Promise.all(Array.from({ length: 100 }, () => write("broken\n")));
  const limited = 'ulimit -n 64; exec "$0" "$@"';
  const { stdout, stderr, exitCode } = await runProgram(
    ["bash", "-c", limited, ...scriptCommand("import", [...files, "--json"])],
    { cwd: folder, env: storesEnvironment(url) },
  );
  expect([stderr, exitCode]).toEqual(["", 0]);
  expect(JSON.parse(stdout)).toMatchObject({ read: 100, rejected: 100 });
});

test.skipIf(!existsSync("/sys/kernel"))(
  "beside data that is read-only the rejects go to the current folder, named after the whole path, until the next import",
  async () => {
    const here = process.cwd();
    process.chdir(await newFolder());
    try {
      await Bun.write("sys-feed.csv.rejects.ndjson", "of an earlier run");
      // Not even root may write there. Both have the same name, as have those of two imports.
      const feeds = ["/sys/feed.csv", "/sys/kernel/feed.csv"];
      const paths = feeds.map((feed) => {
        const rejects = new Rejects(feed);
        expect(rejects.path).toBeNull();
        rejects.add({ line: 1, reason: "name is missing", row: { feed } });
        rejects.close();
        return rejects.path ?? "";
      });
      expect(paths).toEqual(["sys-feed.csv.rejects.ndjson", "sys-kernel-feed.csv.rejects.ndjson"]);
      expect(await Promise.all(paths.map((path) => Bun.file(path).json()))).toEqual(
        feeds.map((feed) => ({ line: 1, reason: "name is missing", row: { feed } })),
      );
      // At the start of the next import.
      for (const feed of feeds) new Rejects(feed).remove();
      expect(paths.filter((path) => existsSync(path))).toEqual([]);
    } finally {
      process.chdir(here);
    }
  },
);

test("rows that cannot be written, as to a full disk, are told of in a line", async () => {
  const file = join(tmpdir(), crypto.randomUUID());
  const program = `
    import { Rejects } from ${JSON.stringify(join(SCRIPTS, "import/rejects.ts"))};
    import { CommandError } from ${JSON.stringify(join(SCRIPTS, "terminal/command.ts"))};
    const rejects = new Rejects(${JSON.stringify(file)});
    try {
      rejects.add({ line: 1, reason: "name is missing", row: "x".repeat(9_000) });
    } catch (error) {
      console.log(error instanceof CommandError, error.message);
    }
    rejects.remove();`;
  // Files of at most 8 KiB, and no signal for who wants more.
  const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" -e "$1"';
  expect(await runProgram(["bash", "-c", limited, process.execPath, program])).toEqual({
    stdout: expect.stringMatching(/^true The rejected rows cannot be written: EFBIG.*\n$/),
    stderr: "",
    exitCode: 0,
  });
});

test("a link that was put in the place of the rejects leads to no other file", async () => {
  const folder = await newFolder();
  const other = join(folder, "other");
  await Bun.write(other, "not ours");
  const file = join(folder, "feed.ndjson");
  const rejects = new Rejects(file);
  await symlink(other, `${file}.rejects.ndjson`);
  for (const line of [1, 2]) {
    rejects.add({ line, reason: "name is missing", row: {} });
  }
  expect(await Bun.file(other).text()).toBe("not ours");
  const written = await Bun.file(`${file}.rejects.ndjson`).text();
  expect(written.split("\n")).toHaveLength(3);
});

test("a link that is put there between two rows leads to no other file either", async () => {
  const folder = await newFolder();
  const other = join(folder, "other");
  await Bun.write(other, "not ours");
  const file = join(folder, "feed.ndjson");
  const rejects = new Rejects(file);
  for (const line of [1, 2]) {
    rejects.add({ line, reason: "name is missing", row: {} });
    await rm(`${file}.rejects.ndjson`);
    await symlink(other, `${file}.rejects.ndjson`);
  }
  expect(await Bun.file(other).text()).toBe("not ours");
  rejects.remove();
});

test.each([
  ["-rw-------", 0o600, 0o600],
  // More rows are to be added to what was written.
  ["-r--r-----", 0o440, 0o640],
  ["-rw-r--r--", 0o644, 0o644],
])("nobody may read the rejects who may not read the feed: %s", async (_, ofFeed, ofRejects) => {
  const folder = await newFolder();
  const file = join(folder, "feed.ndjson");
  await Bun.write(file, "");
  await chmod(file, ofFeed);
  const rejects = new Rejects(file);
  rejects.add({ line: 1, reason: "name is missing", row: { phone: "0161 496 0999" } });
  expect((await stat(`${file}.rejects.ndjson`)).mode & 0o777).toBe(ofRejects);
});

test("a row nested too deeply to be written is reported by its line", async () => {
  const file = join(tmpdir(), crypto.randomUUID());
  const rejects = new Rejects(file);
  const row: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  rejects.add({ line: 7, reason: "the row is not an object", row });
  const written = await Bun.file(`${file}.rejects.ndjson`).json();
  rejects.remove();
  expect(written).toEqual({
    line: 7,
    reason: "the row is not an object",
    row: "nested too deeply to be written again",
  });
});

test("of reasons without number only so many are counted apart", () => {
  const rejects = new Rejects(join(tmpdir(), crypto.randomUUID()));
  for (let line = 0; line < 3_000; line++) rejects.add({ line, reason: `no ${line}`, row: {} });
  rejects.remove();
  expect(rejects.total).toBe(3_000);
  const [most, second] = rejects.mostCommon(5_000);
  expect(most).toEqual(["for other reasons, see the file", 2_000]);
  expect(second?.[1]).toBe(1);
  rejects.add({ line: 3_000, reason: "no 7", row: {} });
  rejects.remove();
  expect(rejects.mostCommon(2)).toEqual([
    ["for other reasons, see the file", 2_000],
    ["no 7", 2],
  ]);
});

test("the most common reasons come first", () => {
  const rejects = new Rejects(join(tmpdir(), crypto.randomUUID()));
  for (const reason of ["a", "b", "b", "c", "b", "c"]) rejects.add({ line: 1, reason, row: {} });
  expect(rejects.mostCommon(2)).toEqual([
    ["b", 3],
    ["c", 2],
  ]);
});
