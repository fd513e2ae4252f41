import { Presets, SingleBar } from "cli-progress";
import { grouped } from "../../src/numbers.ts";
import { onInterruption } from "./interruption.ts";
import { remindOf } from "./output.ts";

/**
 * A progress bar on stderr; nothing if that is not a terminal. It hides the cursor, and shows it again when
 * the command is interrupted.
 * @param format in the syntax of cli-progress, with {counted} and {rate} for what has been done and how much of it
 *   in a second
 */
export function progressBar(format: string) {
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
  let began = performance.now();
  let before = 0;
  let reminder: Disposable | undefined;
  const seconds = () => (performance.now() - began) / 1000;
  return {
    /**
     * @param done what was done before the work began
     * @param since when it began, on the clock of `performance`
     */
    start(
      total: number,
      {
        done = 0,
        since = performance.now(),
        ...texts
      }: { done?: number; since?: number; name?: string } = {},
    ) {
      began = since;
      before = done;
      bar.start(total, done, { ...texts, counted: 0, rate: 0 });
    },
    /** @param counted by default the same */
    update(done: number, counted = done) {
      const rate = Math.round((counted - before) / seconds());
      bar.update(done, { counted: grouped(counted), rate: grouped(rate) });
    },
    /** Nothing is left that can be measured: says now and then that this is still running. */
    finish(title: string) {
      bar.stop();
      reminder = remindOf(title);
    },
    /** Since the start. */
    seconds,
    stop,
    [Symbol.dispose]: stop,
  };

  function stop() {
    bar.stop();
    reminder?.[Symbol.dispose]();
  }
}
