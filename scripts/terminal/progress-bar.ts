import { Presets, SingleBar } from "cli-progress";
import { grouped } from "../../src/numbers.ts";
import { onInterruption } from "./interruption.ts";

/**
 * A progress bar on stderr; nothing if that is not a terminal. It hides the cursor, and shows it again when
 * the command is interrupted.
 * @param format in the syntax of cli-progress
 */
export function progressBar(format: string): SingleBar {
  const bar = new SingleBar(
    { format, formatValue: grouped, clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  bar.on("start", () => {
    bar.once(
      "stop",
      onInterruption(() => bar.stop()),
    );
  });
  return bar;
}
