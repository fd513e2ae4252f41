export interface Result {
  passed: number;
  failed: number;
}

export interface SuiteResult extends Result {
  /** Tests that need what is not there, such as wrk: neither passed nor failed. */
  skipped: number;
}

/**
 * Counts the tests of a run.
 * @param report the JUnit report that Bun has written, empty when it did not get that far
 * @param exitCode Bun's own: the report does not have a file that cannot be loaded, nor the tests that a
 *   crash left out
 */
export function countTests(report: string, exitCode: number | null): SuiteResult {
  const totals = report.match(/<testsuites [^>]*>/)?.[0];
  const count = (name: string) => Number(totals?.match(new RegExp(` ${name}="(\\d+)"`))?.[1] ?? 0);
  const [tests, failures, skipped] = [count("tests"), count("failures"), count("skipped")];
  const passed = tests - failures - skipped;
  // A run of nothing has shown nothing.
  const isWhole = exitCode === 0 && passed + failures > 0;
  return { passed, failed: isWhole ? failures : Math.max(failures, 1), skipped };
}

/** The last line of `npm test`. */
export function lastLine(results: readonly Result[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return `${passed} passed, ${failed} failed`;
}
