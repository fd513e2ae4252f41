import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptEnvironment, writeStack } from "../../../scripts/stack/environment.ts";

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

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "highstreet-environment-"));
  await writeStack(folder, {
    baseUrl: "http://stack.example",
    databaseUrl: stack.DATABASE_URL,
    redisUrl: stack.REDIS_URL,
    meiliUrl: stack.MEILI_URL,
    meiliKey: stack.MEILI_KEY,
    // Alive, so the stack is a running one.
    pids: { server: process.pid, postgres: null, redis: null, meilisearch: null },
  });
});
afterAll(() => rm(folder, { recursive: true }));

const { DATABASE_URL, REDIS_URL, MEILI_URL, MEILI_KEY } = own;
const { MEILI_KEY: _, ...stackWithoutKey } = stack;
test.each<[string, Partial<typeof own>, Partial<typeof own>]>([
  ["all that is not set", {}, stack],
  ["all that is empty", { DATABASE_URL: "", MEILI_URL: " " }, stack],
  ["all but what is set", { DATABASE_URL, REDIS_URL }, { ...stack, DATABASE_URL, REDIS_URL }],
  ["no key for another Meilisearch", { MEILI_URL }, { ...stackWithoutKey, MEILI_URL }],
  [
    "no other key for a Meilisearch that has one",
    { MEILI_URL, MEILI_KEY },
    { ...stack, MEILI_URL, MEILI_KEY },
  ],
  ["the key only along with the Meilisearch that it is for", { MEILI_KEY }, stack],
  ["nothing when all is set", own, own],
])("a script takes from the running stack %s", async (_, given, expected) => {
  const names = Object.keys(stack);
  const taken = Object.entries(await scriptEnvironment({ DATA_DIR: folder, ...given }));
  expect(Object.fromEntries(taken.filter(([name]) => names.includes(name)))).toEqual(expected);
});
