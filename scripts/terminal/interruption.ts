import { constants } from "node:os";

/**
 * When a signal tells the command to end, calls `leave`, then exits with the code that shells use for
 * that signal. Of several handlers only the first to register is called, since it ends the process.
 * @returns removes the handler
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
