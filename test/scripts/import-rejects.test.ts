import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../../scripts/command.ts";
import { Rejects } from "../../scripts/import/rejects.ts";

test.skipIf(!existsSync("/sys"))(
  "beside data that is read-only the rejects go to the current folder",
  async () => {
    const here = process.cwd();
    const folder = await mkdtemp(join(tmpdir(), "highstreet-rejects-"));
    process.chdir(folder);
    try {
      await Bun.write("feed.ndjson.rejects.ndjson", "of an earlier run");
      // Not even root may write there.
      const rejects = new Rejects("/sys/feed.ndjson");
      expect(rejects.path).toBeNull();
      rejects.add({ line: 1, reason: "name is missing", row: {} });
      rejects.flush();
      expect(rejects.path).toBe("feed.ndjson.rejects.ndjson");
      expect(await Bun.file("feed.ndjson.rejects.ndjson").json()).toEqual({
        line: 1,
        reason: "name is missing",
        row: {},
      });
    } finally {
      process.chdir(here);
      await rm(folder, { recursive: true });
    }
  },
);

test.skipIf(!existsSync("/dev/full"))("a full disk is told in a line", async () => {
  const file = join(tmpdir(), crypto.randomUUID());
  const rejects = new Rejects(file);
  await symlink("/dev/full", `${file}.rejects.ndjson`);
  rejects.add({ line: 1, reason: "name is missing", row: {} });
  expect(() => rejects.flush()).toThrow(CommandError);
  rejects.remove();
});

test("a row that is nested too deeply to be written is told of by its line", async () => {
  const file = join(tmpdir(), crypto.randomUUID());
  const rejects = new Rejects(file);
  const row: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  rejects.add({ line: 7, reason: "the row is not an object", row });
  rejects.flush();
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
