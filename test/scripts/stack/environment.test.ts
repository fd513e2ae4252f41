import { afterAll, expect, test } from "bun:test";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder, scriptConfig } from "../../../scripts/stack/environment.ts";
import { runsOn } from "../../../scripts/stack/leftovers.ts";
import { readStack, writeStack } from "../../../scripts/stack/stack-file.ts";
import { until } from "../../../scripts/stack/waiting.ts";
import { CommandError } from "../../../scripts/terminal/command.ts";
import { newFolder } from "../../support.ts";

const stack = {
  DATABASE_URL: "postgres://stack.example/highstreet",
  REDIS_URL: "redis://stack.example",
  MEILI_URL: "http://stack.example:7700",
  MEILI_KEY: "the stack's own key",
};
const own = {
  DATABASE_URL: "postgres://own.example/highstreet",
  REDIS_URL: "redis://own.example",
  MEILI_URL: "http://own.example:7700",
  MEILI_KEY: "our own key",
};

const folder = await realpath(await newFolder());
// A live process with this folder in its arguments, so that the stack counts as running.
const server = Bun.spawn(["/bin/sh", "-c", "read -r _", folder], { stdin: "pipe" });
await until(() => runsOn(folder, server.pid), 10_000);
const running = {
  baseUrl: "http://stack.example",
  databaseUrl: stack.DATABASE_URL,
  redisUrl: stack.REDIS_URL,
  meiliUrl: stack.MEILI_URL,
  meiliKey: stack.MEILI_KEY,
  pids: { server: server.pid, postgres: null, redis: null, meilisearch: null },
};
await writeStack(folder, running);
afterAll(async () => {
  server.kill();
  await server.exited;
});

const configOf = (given: Partial<typeof own>, warn: (line: string) => void = () => {}) =>
  scriptConfig({ DATA_DIR: folder, ...given }, warn);

const { DATABASE_URL, REDIS_URL, MEILI_URL, MEILI_KEY } = own;
test.each<[string, Partial<typeof own>, typeof own]>([
  ["all that is not set", {}, stack],
  ["all that is empty", { DATABASE_URL: "", MEILI_URL: " " }, stack],
  ["all but what is set", { DATABASE_URL, REDIS_URL }, { ...stack, DATABASE_URL, REDIS_URL }],
  ["no key for another Meilisearch", { MEILI_URL }, { ...stack, MEILI_URL, MEILI_KEY: "" }],
  [
    "the given key of a Meilisearch, never the stack's",
    { MEILI_URL, MEILI_KEY },
    { ...stack, MEILI_URL, MEILI_KEY },
  ],
  ["the key only along with the Meilisearch that it is for", { MEILI_KEY }, stack],
  ["nothing when all is set", own, own],
])("a script takes from the running stack %s", async (_, given, expected) => {
  expect(await configOf(given)).toMatchObject({
    databaseUrl: expected.DATABASE_URL,
    redisUrls: [expected.REDIS_URL],
    meiliUrl: expected.MEILI_URL,
    meiliKey: expected.MEILI_KEY,
  });
});

test.each<[Partial<typeof own>, string | null]>([
  [{ DATABASE_URL }, "DATABASE_URL as set, but REDIS_URL and MEILI_URL from"],
  [{ MEILI_URL, REDIS_URL }, "REDIS_URL and MEILI_URL as set, but DATABASE_URL from"],
  [{ DATABASE_URL: stack.DATABASE_URL, MEILI_URL }, "MEILI_URL as set, but REDIS_URL from"],
  [{ DATABASE_URL: ` ${stack.DATABASE_URL}`, REDIS_URL: stack.REDIS_URL }, null],
  [{ MEILI_KEY }, null],
  [own, null],
])(
  "a script warns exactly when it mixes the running stack with other stores: %j",
  async (given, expected) => {
    const warnings: string[] = [];
    await configOf(given, (line) => warnings.push(line));
    const warning = `Using ${expected} the stack in ${folder}: they may belong to different directories.`;
    expect(warnings).toEqual(expected === null ? [] : [warning]);
  },
);

test("a script takes from the running stack the address of the site, unless it is set", async () => {
  const BASE_URL = "https://directory.example";
  expect((await scriptConfig({ DATA_DIR: folder })).baseUrl).toBe(running.baseUrl);
  expect((await scriptConfig({ DATA_DIR: folder, BASE_URL })).baseUrl).toBe(BASE_URL);
});

test("the running stack is also found through a link to its folder", async () => {
  const link = join(folder, "link");
  await symlink(folder, link);
  expect(await readStack(link)).toEqual(running);
});

test("the file of a killed stack is ignored, though another program has its pid by now", async () => {
  const left = await newFolder();
  await writeStack(left, running);
  expect(await readStack(left)).toBeNull();
  await expect(scriptConfig({ DATA_DIR: left })).rejects.toThrow(
    `No stack is running with its data in ${left}, or it is not ready yet: run`,
  );
});

test("a data folder that is a file has no stack, and a stack file that cannot be read is an error", async () => {
  const file = join(await newFolder(), "file");
  await writeFile(file, "");
  expect(await readStack(file)).toBeNull();
  const unreadable = await newFolder();
  await mkdir(join(unreadable, "stack.json"));
  const reading = readStack(unreadable);
  await expect(reading).rejects.toThrow(CommandError);
  await expect(reading).rejects.toThrow("Cannot read stack.json: EISDIR");
});

test("without DATA_DIR, a stack's folder is .data in the current one", () => {
  expect(dataFolder({})).toBe(join(process.cwd(), ".data"));
});

test.each(["~", "~/directory", "~ada/directory"])(
  "%s, as in .env, where no shell reads it, is not taken for a folder of that name",
  (DATA_DIR) => {
    expect(() => dataFolder({ DATA_DIR })).toThrow(
      `DATA_DIR (${DATA_DIR}) begins with ~, which only a shell replaces with a home folder: write the whole path.`,
    );
  },
);

test("an incomplete stack file is ignored", async () => {
  const file = join(folder, "stack.json");
  const { pids, ...addresses } = running;
  const lacking = Object.keys(addresses).map((name) => ({ ...running, [name]: undefined }));
  const { server: _server, ...stores } = pids;
  for (const described of [...lacking, { ...running, pids: stores }, addresses, [], null]) {
    await writeFile(file, JSON.stringify(described));
    expect([described, await readStack(folder)]).toEqual([described, null]);
  }
  await writeStack(folder, running);
  expect(await readStack(folder)).toEqual(running);
});
