import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { CommandError, runCommand } from "./command.ts";
import { generateBusinesses } from "./generate/businesses.ts";

const USAGE = `Usage: bun scripts/generate.ts [--count N] [--seed S] > FILE.ndjson

Writes made-up businesses as import records, one JSON line each: 5000 from seed 1 unless told
otherwise. The same seed gives the same ones; more of them begin with those of fewer.`;

/** Records to a write: few system calls, little memory. */
const BATCH = 1_000;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const count = readWhole("--count", values.count);
  const seed = readWhole("--seed", values.seed);
  try {
    await pipeline(Readable.from(batches(count, seed)), process.stdout);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A reader that has enough, such as `head`, is no fault.
    if (code === "EPIPE") return;
    throw code === "ENOSPC" ? new CommandError(message) : error;
  }
});

function readWhole(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new CommandError(`${option} must be a whole number, such as 5000; not ${text}.`);
  }
  return Number(text);
}

function* batches(count: number, seed: number): Generator<string> {
  let lines: string[] = [];
  for (const record of generateBusinesses({ count, seed })) {
    lines.push(`${JSON.stringify(record)}\n`);
    if (lines.length < BATCH) continue;
    yield lines.join("");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("");
}
