import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { AggregatorRegistry } from "prom-client";
import type { Config } from "./config.ts";
import { listenOn } from "./process.ts";
import { launchWorker, type Metrics, type Worker } from "./worker-process.ts";

/**
 * Serves with several processes that share one port; Linux spreads the connections over them (SO_REUSEPORT,
 * socket(7)). This process itself only supervises them: one that ends is replaced, one that hangs is killed
 * first, and when this process ends, for whatever reason, so do they.
 * @throws StartError with the reason of a worker that cannot start, or when the port is not available
 */
export async function startWorkers(
  config: Config,
  { log }: { log: Logger },
): Promise<{ url: string; stop(): Promise<void> }> {
  const shared = { ...config, port: findPort(config) };
  const stopping = new AbortController();
  const launch = (number: number, isReplacement: boolean) => {
    const order = { type: "serve", config: shared, isReplacement } as const;
    const worker = launchWorker(number, order, scrape);
    worker.ready.then(
      () => {
        log.info({ worker: number, pid: worker.pid }, "a worker serves");
        endWhenHanging(worker, number);
      },
      // Why it cannot start is thrown when this process starts, and later logged by `replace`.
      () => {},
    );
    return worker;
  };
  const workers = Array.from({ length: config.workers }, (_, number) => launch(number, false));
  /** What the earlier workers of each number had counted: counters must not decrease with a replacement. */
  const counted = workers.map((): Metrics => []);

  async function stop() {
    stopping.abort();
    const inOrder = await Promise.all(workers.map((worker) => worker.stop()));
    if (inOrder.includes(false)) throw new Error("not every worker has stopped cleanly");
  }

  /**
   * Replaces the worker of this number whenever it ends, with a back-off that grows while workers end soon.
   */
  async function replace(number: number): Promise<void> {
    let pauseMs = 0;
    while (true) {
      const worker = workers[number] as Worker;
      const began = performance.now();
      const how = await worker.exited;
      if (stopping.signal.aborted) return;
      const wasSteady = performance.now() - began > STEADY_MS;
      pauseMs = wasSteady ? 0 : Math.min(Math.max(FIRST_PAUSE_MS, 2 * pauseMs), LONGEST_PAUSE_MS);
      log.error({ worker: number, pid: worker.pid, how, pauseMs }, "a worker ended: replacing it");
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const all = [counted[number] ?? [], await worker.metrics()];
      const sum = await AggregatorRegistry.aggregate(all).getMetricsAsJSON();
      try {
        workers[number] = launch(number, true);
        counted[number] = sum;
      } catch (error) {
        // The one that has ended keeps its place, so the next round tries again.
        log.error({ err: error, worker: number }, "a worker cannot be started");
      }
    }
  }

  /** Kills a worker that hangs: Linux would go on handing it connections. */
  async function endWhenHanging(worker: Worker, number: number): Promise<void> {
    let isOver = false;
    worker.exited.then(() => {
      isOver = true;
    });
    let silent = 0;
    while (silent < MOST_SILENT) {
      await sleep(LOOK_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (isOver || stopping.signal.aborted) return;
      silent = (await worker.answers()) ? 0 : silent + 1;
    }
    log.error({ worker: number, pid: worker.pid }, "a worker hangs: killing it");
    worker.kill();
  }

  async function scrape(): Promise<string> {
    // Copied now, as the workers are queried: one that is replaced meanwhile would be counted twice.
    const earlier = [...counted];
    const all = await Promise.all(workers.map((worker) => worker.metrics()));
    return await AggregatorRegistry.aggregate([...all, ...earlier]).metrics();
  }

  try {
    const [url = ""] = await Promise.all(workers.map((worker) => worker.ready));
    for (const number of workers.keys()) replace(number);
    return { url, stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

/** A worker that has run for this long did not end because of how it started. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker hangs when it is silent this many times in a row. One or two may only mean a busy machine. */
const MOST_SILENT = 5;
const LOOK_INTERVAL_MS = 2_000;

/**
 * The port to share; a free one for 0. Another program on that port would get some of the requests, and
 * nobody would notice: so this first makes sure that nobody listens there.
 * @throws StartError
 */
function findPort(config: Config): number {
  const { port, host } = config;
  const probe = listenOn(config, () => Bun.listen({ port, hostname: host, socket: { data() {} } }));
  const found = probe.port;
  probe.stop(true);
  return found;
}
