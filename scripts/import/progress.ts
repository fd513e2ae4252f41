import { basename } from "node:path";
import { grouped } from "../../src/numbers.ts";
import { remindOf } from "../terminal/output.ts";
import { progressBar } from "../terminal/progress-bar.ts";

export interface Progress {
  start(): void;
  addBytes(bytes: number): void;
  setRows(rows: number): void;
  /** The whole file is read. The rest cannot be measured, and takes a minute after millions of rows. */
  finish(): void;
  /** Since the start. */
  seconds(): number;
  stop(): void;
}

/** Shows on stderr how far a file has been read: a bar on a terminal, and reminders if the commit takes long. */
export function createProgress(file: string, sizeBytes: number): Progress {
  const bar = progressBar(
    "{name} {bar} {percentage} % | {rows} rows, {rate} a second | {eta_formatted} left",
  );
  let started = performance.now();
  let bytes = 0;
  let reminder: Disposable | undefined;
  const seconds = () => (performance.now() - started) / 1000;
  return {
    start() {
      started = performance.now();
      bar.start(Math.max(sizeBytes, 1), 0, { name: basename(file), rows: 0, rate: 0 });
    },
    addBytes(more) {
      bytes += more;
      bar.update(bytes);
    },
    setRows(rows) {
      bar.update(bytes, { rows: grouped(rows), rate: grouped(Math.round(rows / seconds())) });
    },
    finish() {
      bar.stop();
      reminder = remindOf(`Committing ${file}`);
    },
    seconds,
    stop() {
      bar.stop();
      reminder?.[Symbol.dispose]();
    },
  };
}
