import { writeSync } from "node:fs";

/**
 * Writes a line to stdout. When that fails, as on a full disk, the command still does its work, but ends with
 * exit code 1. A reader that closes the pipe early, such as `head`, is not an error.
 * @returns whether it was written
 */
export function print(line: string): boolean {
  try {
    write(STDOUT, `${line}\n`);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EPIPE") {
      if (!hasFailed) say(`The output cannot be written: ${message}`);
      hasFailed = true;
      process.exitCode = 1;
    }
    return false;
  }
}

/** Writes many lines, each made once those before it are written, until one cannot be written. */
export async function printAll(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (!print(line)) return;
  }
}

/** Writes a line for people to stderr: stdout carries only what programs read. */
export function say(line: string): void {
  try {
    // console.error would paint it as an error.
    write(STDERR, `${line}\n`);
  } catch {
    // There is nowhere left to report this.
  }
}

/** Prints how long a step took, once it is done, and now and then that it is still running. */
export async function step<Result>(
  title: string,
  work: Promise<Result>,
  { remindMs = REMIND_MS } = {},
): Promise<Result> {
  const begun = performance.now();
  using _reminder = remindOf(title, remindMs);
  const result = await work;
  say(`${title.padEnd(36)} ${secondsSince(begun)} s`);
  return result;
}

/** Prints now and then that work without a measure of progress is still running, until disposed of. */
export function remindOf(title: string, everyMs = REMIND_MS): Disposable {
  const begun = performance.now();
  const timer = setInterval(
    () => say(`${title}: still running after ${secondsSince(begun)} s`),
    everyMs,
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

const REMIND_MS = 10_000;

/** Says why nothing seems to happen: another command holds IMPORT_LOCK. */
export function sayWaiting(): void {
  say("Waiting for another import (or generate, or check-lists --repair) to finish.");
}

/**
 * Says that the work after an import or a load has failed (see settleDirectory).
 * @param what is kept nevertheless
 */
export function sayUnsettled(what: string, error: unknown): void {
  say(
    `${what} kept, but cleaning up the directory failed (${(error as Error).message}); a running server does that by itself.`,
  );
}

const STDOUT = 1;
const STDERR = 2;

/** Whether writing to stdout has failed, which is reported only once. */
let hasFailed = false;

/**
 * Returns once everything is written. console.log would not report a failure. process.stdout would make the
 * pipe non-blocking for other programs that write to it, too: a `cat` in the same script would fail when the
 * pipe is full, instead of waiting.
 * @throws the system's error when it cannot be written
 */
function write(file: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      // Another program has made the pipe non-blocking, and it is full.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Bun.sleepSync(PAUSE_MS);
    }
  }
}

const PAUSE_MS = 10;
