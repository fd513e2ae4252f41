export interface Result {
  passed: number;
  failed: number;
}

export interface SuiteResult extends Result {
  /** Tests that need something that is missing, such as wrk: neither passed nor failed. */
  skipped: number;
}

/**
 * Counts the tests of a run.
 * @param said Bun's report, which ends with the totals: ` 48 pass`, ` 0 fail`, each on a line
 * @param exitCode Bun's own: a run that crashes prints no totals
 */
export function countTests(said: string, exitCode: number | null): SuiteResult {
  const totals = Bun.stripANSI(said).matchAll(/^ *(\d+) (pass|fail|skip|todo)$/gm);
  const counts = Object.fromEntries(totals.map(([, number, what]) => [what, Number(number)]));
  const { pass = 0, fail = 0, skip = 0, todo = 0 } = counts;
  // A run without tests proves nothing.
  const isWhole = exitCode === 0 && pass + fail > 0;
  return { passed: pass, failed: isWhole ? fail : Math.max(fail, 1), skipped: skip + todo };
}

/** The last line of `npm test`. */
export function lastLine(results: readonly Result[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return `${passed} passed, ${failed} failed`;
}
