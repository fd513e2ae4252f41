import { constants } from "node:os";
import { type Options, Presets, SingleBar } from "cli-progress";

/**
 * A bar on stderr; nothing where that is no terminal. It hides the cursor: who interrupts the command
 * gets it back.
 * @param format as cli-progress has it
 */
export function progressBar(format: string): SingleBar {
  const options: Options = { format, noTTYOutput: false, clearOnComplete: true, hideCursor: true };
  const bar = new SingleBar({ ...options, stream: process.stderr }, Presets.shades_classic);
  const leave = (signal: "SIGINT" | "SIGTERM") => {
    bar.stop();
    process.exit(128 + constants.signals[signal]);
  };
  bar.once("start", () => {
    for (const signal of SIGNALS) process.once(signal, leave);
  });
  bar.once("stop", () => {
    for (const signal of SIGNALS) process.off(signal, leave);
  });
  return bar;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
