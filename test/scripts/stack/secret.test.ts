import { beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../../scripts/stack/postgres.ts";
import { keptSecret } from "../../../scripts/stack/secret.ts";
import { Supervisor } from "../../../scripts/stack/supervisor.ts";
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

test.each(["", "\n"])("an empty secret (%j) is an error, and is not replaced", async (text) => {
  const path = join(folder, "redis.password");
  await writeFile(path, text);
  const refusal = (remedy: string) =>
    new CommandError(`${path} is empty, but must hold a secret: ${remedy}.`);
  await expect(keptSecret(path)).rejects.toThrow(refusal("remove it, and a new one is created"));
  await expect(keptSecret(path, "put it back")).rejects.toThrow(refusal("put it back"));
  expect(await Bun.file(path).text()).toBe(text);
});

test("data whose password is lost is an error that says so, and the password is not replaced", async () => {
  const supervisor = new Supervisor(folder);
  const passwordFile = join(folder, "postgres.password");
  await mkdir(join(folder, "postgres"));
  await writeFile(join(folder, "postgres", "PG_VERSION"), "18\n");
  await expect(startPostgres(supervisor)).rejects.toThrow(
    new CommandError(`${passwordFile} is missing, and the data need it: restore it.`),
  );
  expect(await Bun.file(passwordFile).exists()).toBe(false);
});
