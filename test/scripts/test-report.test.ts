import { expect, test } from "bun:test";
import { join } from "node:path";
import { countTests, lastLine } from "../../scripts/test/report.ts";
import { newFolder, runProgram } from "../support.ts";

/** The end of Bun's report, after a test's own output. */
const report = (tests: number, failures: number, skipped: number) => `test/a.test.ts:
 99 pass
 99 fail
(pass) waits for 99 pass

 ${tests - failures - skipped} pass
 ${skipped} skip
 ${failures} fail
 9 expect() calls
Ran ${tests} tests across 1 file. [0.50s]
`;

test("a skipped test counts as neither passed nor failed", () => {
  expect(countTests(report(10, 0, 3), 0)).toEqual({ passed: 7, failed: 0, skipped: 3 });
  expect(countTests(report(10, 2, 3), 1)).toEqual({ passed: 5, failed: 2, skipped: 3 });
});

test("a file that crashed, which is in none of Bun's totals, is one failure", () => {
  expect(countTests(report(4, 0, 1), 1)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  // Killed by a signal.
  expect(countTests(report(4, 0, 1), null)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("a run without totals, or without tests, has failed", () => {
  expect(countTests("", 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests("", 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests(report(2, 0, 2), 0)).toEqual({ passed: 0, failed: 1, skipped: 2 });
});

test("the last line has the sums", () => {
  const results = [
    { passed: 1, failed: 0 },
    { passed: 0, failed: 1 },
    { passed: 20, failed: 2 },
  ];
  expect(lastLine(results)).toBe("21 passed, 3 failed");
});

test("Bun's own totals are read, with colours too", async () => {
  const folder = await newFolder();
  const head = 'import { expect, test } from "bun:test";\n';
  const tests = `${head} test("a", () => {}); test("b", () => {}); test.skip("c", () => {});`;
  await Bun.write(join(folder, "one.test.ts"), tests);
  const run = async (FORCE_COLOR: string) => {
    const { stderr, exitCode } = await runProgram([process.execPath, "test"], {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR },
    });
    return countTests(stderr, exitCode);
  };
  const runTwice = () => Promise.all([run("0"), run("1")]);
  const passed = { passed: 2, failed: 0, skipped: 1 };
  expect(await runTwice()).toEqual([passed, passed]);
  const failed = { passed: 2, failed: 1, skipped: 1 };
  await Bun.write(join(folder, "two.test.ts"), 'throw new Error("it crashed");');
  expect(await runTwice()).toEqual([failed, failed]);
  await Bun.write(join(folder, "two.test.ts"), `${head} test("d", () => expect(1).toBe(2));`);
  expect(await runTwice()).toEqual([failed, failed]);
});
