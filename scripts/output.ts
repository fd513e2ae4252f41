import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "./command.ts";

/** Writes pieces of text to stdout as fast as they are read there. */
export async function print(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A reader that has enough, such as `head`, is no fault.
    if (code === "EPIPE") return;
    throw code === "ENOSPC" ? new CommandError(message) : error;
  }
}

/** A line for people, on stderr: stdout has nothing but what programs read. */
export function say(line: string): void {
  // console.error would paint it as an error.
  process.stderr.write(`${line}\n`);
}
