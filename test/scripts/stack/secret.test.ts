import { beforeEach, expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keptSecret } from "../../../scripts/stack/secret.ts";
import { CommandError } from "../../../scripts/terminal/command.ts";
import { newFolder } from "../../support.ts";

let folder: string;
beforeEach(async () => {
  folder = await newFolder();
});

test("a secret is made once, for its owner only", async () => {
  const path = join(folder, "redis.password");
  const secret = await keptSecret(path);
  expect(secret).toMatch(/^[\w-]{32}$/);
  expect(await keptSecret(path)).toBe(secret);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["redis.password"]);
});

test.each(["", "\n"])(
  "an empty secret (%j) is none, and no other takes its place",
  async (text) => {
    const path = join(folder, "redis.password");
    await writeFile(path, text);
    const refusal = (remedy: string) =>
      new CommandError(`${path} is empty, but has to hold a secret: ${remedy}.`);
    await expect(keptSecret(path)).rejects.toThrow(refusal("remove it, and a new one is made"));
    await expect(keptSecret(path, "put it back")).rejects.toThrow(refusal("put it back"));
    expect(await Bun.file(path).text()).toBe(text);
  },
);
