import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { redisProgram } from "../../../scripts/stack/redis.ts";
import { newFolder } from "../../support.ts";

const PATH = process.env.PATH;
const folder = await newFolder();
afterAll(async () => {
  process.env.PATH = PATH;
});

test("an installed Redis is used only if it is new enough", async () => {
  const found = await redisProgram();
  expect(found).toMatch(/\/(redis|valkey)-server$/);

  process.env.PATH = folder;
  const program = join(folder, "redis-server");
  const says = (version: string) =>
    writeFile(program, `#!/bin/sh\necho 'Redis server v=${version} sha=00000000:0 bits=64'\n`, {
      mode: 0o755,
    });
  await says("6.0.16");
  await expect(redisProgram()).rejects.toThrow(
    `${program} is version 6.0.16, and Highstreet needs 7 or later. Debian`,
  );
  await says("10.0.1");
  expect(await redisProgram()).toBe(program);
});
