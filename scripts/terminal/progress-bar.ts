import { Presets, SingleBar } from "cli-progress";
import { grouped } from "../../src/numbers.ts";
import { onInterruption } from "./interruption.ts";

/**
 * A bar on stderr; nothing where that is no terminal. It hides the cursor, and shows it again when the
 * command is interrupted.
 * @param format as cli-progress has it
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
