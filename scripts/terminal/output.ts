import { writeSync } from "node:fs";

/**
 * A line on stdout. One that cannot be written, as on a full disk, keeps the command from nothing that it
 * has to do, but makes it fail in the end. A reader that has enough, such as `head`, is no fault.
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

/** Of stdout: told once. */
let hasFailed = false;

/**
 * Waits until everything is written. Not console.log, which says nothing when it cannot write. Nor
 * process.stdout, which makes a pipe non-blocking for everybody: others that write to it, such as a `cat` in
 * the same script, would fail when it is full.
 * @throws what the system says against it
 */
function write(file: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      // Somebody else has left it so.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Bun.sleepSync(PAUSE_MS);
    }
  }
}

const PAUSE_MS = 10;
