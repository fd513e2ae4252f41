import { expect, test } from "bun:test";
import { runProgram, scriptCommand } from "../support.ts";

test.each([
  ["burst", "--servers", "0"],
  ["burst", "--repetitions", "many"],
])("%s refuses %s %s before it starts anything", async (script, option, value) => {
  const { stdout, stderr, exitCode } = await run(script, option, value);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toMatch(
    new RegExp(`^${option} must be a whole number from \\d to 999999999; .*\n$`),
  );
});

test("faults refuses an unknown fault, and lists the known ones", async () => {
  const { stdout, stderr, exitCode } = await run("faults", "--only", "calmness");
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toStartWith("There is no fault calmness.\n\nUsage:");
});

function run(script: string, ...options: string[]) {
  return runProgram(scriptCommand(`bench/${script}`, options));
}
