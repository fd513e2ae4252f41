import { expect, test } from "bun:test";
import { join } from "node:path";
import { outputOf } from "../support.ts";

const BENCH = join(import.meta.dir, "..", "..", "scripts", "bench");

test.each([
  ["burst.ts", "--servers", "0"],
  ["burst.ts", "--repetitions", "many"],
  ["revocation.ts", "--repetitions", "many"],
  ["memory.ts", "--count", "1e6"],
  ["admission.ts", "--seconds", "half"],
  ["admission.ts", "--rounds", "0"],
  ["admission.ts", "--connections", "1,,64"],
])("%s refuses %s %s before it starts anything", async (script, option, value) => {
  const { stdout, stderr, exitCode } = await run(script, option, value);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toMatch(
    new RegExp(`^${option} must be a whole number from \\d to 999999999; .*\n$`),
  );
});

test("faults.ts refuses a fault that there is not, and says which there are", async () => {
  const { stdout, stderr, exitCode } = await run("faults.ts", "--only", "calmness");
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toStartWith("There is no fault calmness.\n\nUsage:");
});

async function run(script: string, ...options: string[]) {
  const command = Bun.spawn([process.execPath, join(BENCH, script), ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  return await outputOf(command);
}
