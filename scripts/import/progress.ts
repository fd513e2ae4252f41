import { basename } from "node:path";
import { grouped } from "../../src/numbers.ts";
import { progressBar } from "../terminal/progress-bar.ts";

export interface Progress {
  addBytes(bytes: number): void;
  setRows(rows: number): void;
  stop(): void;
}

/** How far a file has been read, on stderr; nothing where that is no terminal. */
export function showProgress(file: string, sizeBytes: number): Progress {
  const started = performance.now();
  let bytes = 0;
  const bar = progressBar(
    "{name} {bar} {percentage} % | {rows} rows, {rate} a second | {eta_formatted} left",
  );
  bar.start(Math.max(sizeBytes, 1), 0, { name: basename(file), rows: 0, rate: 0 });
  return {
    addBytes(more) {
      bytes += more;
      bar.update(bytes);
    },
    setRows(rows) {
      const rate = Math.round((rows / (performance.now() - started)) * 1000);
      bar.update(bytes, { rows: grouped(rows), rate: grouped(rate) });
    },
    stop: () => bar.stop(),
  };
}
