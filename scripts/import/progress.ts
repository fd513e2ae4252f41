import { basename } from "node:path";
import { grouped } from "../../src/numbers.ts";
import { progressBar } from "../terminal/progress-bar.ts";

export interface Progress {
  start(): void;
  addBytes(bytes: number): void;
  setRows(rows: number): void;
  /** Since the start. */
  seconds(): number;
  stop(): void;
}

/** How far a file has been read, on stderr; nothing where that is no terminal. */
export function createProgress(file: string, sizeBytes: number): Progress {
  const bar = progressBar(
    "{name} {bar} {percentage} % | {rows} rows, {rate} a second | {eta_formatted} left",
  );
  let started = performance.now();
  let bytes = 0;
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
    seconds,
    stop: () => bar.stop(),
  };
}
