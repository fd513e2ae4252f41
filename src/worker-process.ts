import { join } from "node:path";
import type { MetricObjectWithValues, MetricValue } from "prom-client";
import type { Config } from "./config.ts";
import { StartError } from "./process.ts";
import { withDeadline } from "./store/deadline.ts";

export type ToWorker = ServeOrder | { type: "measure" } | { type: "scraped"; text: string };

export interface ServeOrder {
  type: "serve";
  config: Config;
  /** Whether it replaces one that has served. */
  isReplacement: boolean;
}

/** Messages from a worker: `metrics` are its own, `scrape` asks for those of all. */
export type FromWorker =
  | { type: "ready"; url: string }
  | { type: "failed"; reason: string }
  | { type: "metrics"; metrics: Metrics }
  | { type: "scrape" };

export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

export type Worker = ReturnType<typeof launchWorker>;

/**
 * Starts a worker.
 * @param number from 0; number 0 also runs what one process does for all
 * @param scrape reads the metrics of all workers; called when this one is asked for them
 * @throws Error when the system cannot spawn a process
 */
export function launchWorker(number: number, order: ServeOrder, scrape: () => Promise<string>) {
  const ready = Promise.withResolvers<string>();
  let isReady = false;
  let reason: string | undefined;
  let measured = Promise.withResolvers<Metrics>();
  let last: Metrics = [];
  // `type` is a string at run time, whatever the library declares. A histogram consists of counters.
  const counters = () => last.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

  const program = join(import.meta.dir, "worker.ts");
  const child = Bun.spawn([process.execPath, program, String(number)], {
    stdio: ["ignore", "inherit", "inherit"],
    async ipc(message: FromWorker) {
      if (message.type === "ready") {
        isReady = true;
        ready.resolve(message.url);
      } else if (message.type === "failed") {
        reason = message.reason;
      } else if (message.type === "metrics") {
        last = message.metrics;
        measured.resolve(last);
        measured = Promise.withResolvers();
      } else {
        tell({ type: "scraped", text: await scrape() });
      }
    },
  });
  const tell = (message: ToWorker) => {
    try {
      child.send(message);
    } catch {
      // The worker is ending, which `exited` tells.
    }
  };
  tell(order);
  const measure = () => {
    const { promise } = measured;
    tell({ type: "measure" });
    return withDeadline(promise, LONGEST_MEASURE_MS);
  };

  const exited = child.exited.then((code) => {
    isReady = false;
    measured.resolve(counters());
    const how = reason ?? String(child.signalCode ?? `code ${code}`);
    ready.reject(new StartError(reason ?? `Cannot start: a worker ended (${how}).`));
    return how;
  });
  return {
    pid: child.pid,
    /** Resolves to its address. @throws StartError when it ends before that */
    ready: ready.promise,
    /** Resolves to how it ended: why it could not start, "code 1", "SIGKILL". */
    exited,
    /** Whether it responds within a second. */
    answers: () =>
      measure().then(
        () => true,
        () => false,
      ),
    kill: () => child.kill("SIGKILL"),
    /** While it hangs or does not serve, only its counters, as last reported. */
    async metrics(): Promise<Metrics> {
      if (!isReady) return counters();
      // A worker that hangs must not keep the metrics of all others from being read.
      return await measure().catch(counters);
    },
    /** Stops it. @returns whether it stopped cleanly; true for one that did not serve */
    async stop() {
      const hasServed = isReady;
      // A worker stops cleanly when it is disconnected. A second SIGTERM could end it at once, and systemd
      // sends the first to all processes of a service.
      child.disconnect();
      const lastStop = setTimeout(() => child.kill("SIGKILL"), WORKER_STOP_MS);
      const how = await exited;
      clearTimeout(lastStop);
      return !hasServed || how === "code 0";
    },
  };
}

/** Less than LONGEST_SCRAPE_MS of worker.ts. */
const LONGEST_MEASURE_MS = 1_000;
/** Less than LAST_STOP_MS of process.ts. */
const WORKER_STOP_MS = 8_500;
