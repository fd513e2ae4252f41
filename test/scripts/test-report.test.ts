import { expect, test } from "bun:test";
import { join } from "node:path";
import { countTests, lastLine } from "../../scripts/test/report.ts";
import { newFolder } from "../support.ts";

/** The start of what Bun writes, where each file has totals of its own. */
const report = (tests: number, failures: number, skipped: number) => `<?xml version="1.0"?>
<testsuites name="bun test" tests="${tests}" assertions="9" failures="${failures}" skipped="${skipped}" time="0.5">
  <testsuite name="test/a.test.ts" tests="99" assertions="9" failures="99" skipped="99" time="0.5">`;

test("a skipped test has neither passed nor failed", () => {
  expect(countTests(report(10, 0, 3), 0)).toEqual({ passed: 7, failed: 0, skipped: 3 });
  expect(countTests(report(10, 2, 3), 1)).toEqual({ passed: 5, failed: 2, skipped: 3 });
});

test("a file that crashed, which is in no report, is one failure", () => {
  expect(countTests(report(4, 0, 1), 1)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  // Ended by a signal.
  expect(countTests(report(4, 0, 1), null)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("a run that wrote no report, or had no test to run, has failed", () => {
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

test("Bun's own report is read", async () => {
  const folder = await newFolder();
  const head = 'import { expect, test } from "bun:test";\n';
  const tests = `${head} test("a", () => {}); test("b", () => {}); test.skip("c", () => {});`;
  await Bun.write(join(folder, "one.test.ts"), tests);
  const run = async () => {
    const args = ["test", "--reporter=junit", "--reporter-outfile=report.xml"];
    const child = Bun.spawn([process.execPath, ...args], { cwd: folder, stderr: "ignore" });
    const exitCode = await child.exited;
    return countTests(await Bun.file(join(folder, "report.xml")).text(), exitCode);
  };
  expect(await run()).toEqual({ passed: 2, failed: 0, skipped: 1 });
  await Bun.write(join(folder, "two.test.ts"), 'throw new Error("it crashed");');
  expect(await run()).toEqual({ passed: 2, failed: 1, skipped: 1 });
  await Bun.write(join(folder, "two.test.ts"), `${head} test("d", () => expect(1).toBe(2));`);
  expect(await run()).toEqual({ passed: 2, failed: 1, skipped: 1 });
});
