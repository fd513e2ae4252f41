import { writeSync } from "node:fs";

/**
 * Writes a line to stdout. When that fails, as on a full disk, the command still does its work, but ends with
 * exit code 1. It is no fault when a reader such as `head` has enough and closes the pipe.
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

/** Many lines, each made when those before it are written, until one cannot be. */
export async function printAll(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (!print(line)) return;
  }
}

/** A line for people, on stderr: stdout has nothing but what programs read. */
export function say(line: string): void {
  try {
    // console.error would paint it as an error.
    write(STDERR, `${line}\n`);
  } catch {
    // Nobody is left to be told.
  }
}

/** Says how long a step took, once it is done, and now and then that it goes on. */
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

/** Says now and then that something goes on, which tells nothing of how far it is, until that is disposed of. */
export function remindOf(title: string, everyMs = REMIND_MS): Disposable {
  const begun = performance.now();
  const timer = setInterval(
    () => say(`${title}: still going on after ${secondsSince(begun)} s`),
    everyMs,
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

const REMIND_MS = 10_000;

/** Says why nothing seems to happen: another command has IMPORT_LOCK. */
export function sayWaiting(): void {
  say("Waiting for another import (or generate, or check-lists --repair) to end.");
}

/**
 * Says that the work after an import or a load has failed (see settleDirectory).
 * @param what is kept all the same
 */
export function sayUnsettled(what: string, error: unknown): void {
  say(
    `${what} kept, but the directory could not be tidied up (${(error as Error).message}); a running server does that by itself.`,
  );
}

const STDOUT = 1;
const STDERR = 2;

/** Whether a line could not be written to stdout, which is said once and not for each line. */
let hasFailed = false;

/**
 * Waits until everything is written. console.log would not say that it cannot write. process.stdout would
 * make the pipe non-blocking, also for other programs that write to it: a `cat` in the same script would
 * fail when the pipe is full, instead of waiting.
 * @throws what the system says against it
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
