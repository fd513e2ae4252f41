import { constants } from "node:os";

/**
 * When a signal tells the command to end: leaves, and ends it with the exit code that shells give to
 * that signal. Of several that wait for one, only the first to do so is heard.
 * @returns stops waiting
 */
export function onInterruption(leave: () => void): () => void {
  const end = (signal: (typeof SIGNALS)[number]) => {
    leave();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
