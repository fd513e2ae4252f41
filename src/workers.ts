import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";
import type { Config } from "./config.ts";
import { StartError } from "./process.ts";
import { withDeadline } from "./store/deadline.ts";

/**
 * Serves with several processes that share one port; Linux spreads the connections over them
 * (SO_REUSEPORT, socket(7)). This process itself only looks after them: one that ends is replaced,
 * one that hangs is ended first, and when this process ends, however that comes, they do too.
 * @throws StartError with the reason of a worker that cannot start; EADDRINUSE
 */
export async function startWorkers(
  config: Config,
  { log }: { log: Logger },
): Promise<{ url: string; stop(): Promise<void> }> {
  const shared = { ...config, port: findPort(config) };
  const stopping = new AbortController();
  const launch = (number: number) => {
    const worker = launchWorker({ type: "serve", config: shared, number }, scrape);
    worker.ready.then(
      () => {
        log.info({ worker: number, pid: worker.pid }, "a worker serves");
        endWhenHanging(worker, number);
      },
      // Told below, or thrown.
      () => {},
    );
    return worker;
  };
  const workers = Array.from({ length: config.workers }, (_, number) => launch(number));
  /** In each place, what the workers before had counted: a total that falls misleads who reads it. */
  const counted = workers.map((): Metrics => []);

  async function stop() {
    stopping.abort();
    const inOrder = await Promise.all(workers.map((worker) => worker.stop()));
    if (inOrder.includes(false)) throw new Error("not every worker has ended in order");
  }

  /** Keeps a worker in this place, with a pause that grows while one after the other ends soon. */
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
      counted[number] = await AggregatorRegistry.aggregate(all).getMetricsAsJSON();
      workers[number] = launch(number);
    }
  }

  /** Linux would go on handing it connections. */
  async function endWhenHanging(worker: Worker, number: number): Promise<void> {
    const { signal } = stopping;
    const hasEnded = worker.exited.then(() => true);
    for (let silent = 0; silent < MOST_SILENT; ) {
      const pause = sleep(LOOK_INTERVAL_MS, false, { signal }).catch(() => true);
      if (await Promise.race([hasEnded, pause])) return;
      silent = (await worker.answers()) ? 0 : silent + 1;
    }
    log.error({ worker: number, pid: worker.pid }, "a worker hangs: ending it");
    worker.kill();
  }

  async function scrape(): Promise<string> {
    const all = await Promise.all(workers.map((worker) => worker.metrics()));
    return await AggregatorRegistry.aggregate([...all, ...counted]).metrics();
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

/** What a worker is told. */
export type ToWorker =
  | ServeOrder
  | { type: "measure" }
  | { type: "scraped"; id: number; text: string };

export interface ServeOrder {
  type: "serve";
  config: Config;
  /** From 0. Number 0 also does what one process does for all. */
  number: number;
}

/** What a worker tells: `metrics` are its own, a `scrape` asks for those of all. */
export type FromWorker =
  | { type: "ready"; url: string }
  | { type: "failed"; reason: string }
  | { type: "metrics"; metrics: Metrics }
  | { type: "scrape"; id: number };

type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** Time after which the end of a worker is a matter of its own, not of how it began. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Sooner than a worker gives up its scrape. */
const LONGEST_MEASURE_MS = 1_000;
/** So many times in a row, and so far apart, that it is not the machine that was held up. */
const MOST_SILENT = 5;
const LOOK_INTERVAL_MS = 2_000;
/** Sooner than this process must have ended itself. */
const WORKER_STOP_MS = 8_500;

/**
 * The port to share; a free one for 0. Who else shares that port would get some of the requests, and
 * nobody would notice: so it must be to be had alone first.
 * @throws EADDRINUSE
 */
function findPort({ port, host }: Config): number {
  const probe = Bun.listen({ port, hostname: host, socket: { data() {} } });
  const found = probe.port;
  probe.stop(true);
  return found;
}

interface Worker {
  pid: number;
  /** Resolves to its address. @throws StartError when it ends before that */
  ready: Promise<string>;
  /** Resolves to how it ended: why it could not start, "code 1", "SIGKILL". */
  exited: Promise<string>;
  /** Whether it says anything within a second. */
  answers(): Promise<boolean>;
  kill(): void;
  /** While it does not serve or hangs, only what it had counted when it was last asked. */
  metrics(): Promise<Metrics>;
  /** Ends it. @returns whether it ended in order, which one that did not serve need not */
  stop(): Promise<boolean>;
}

/** One for which the system has no process, or no memory, just now: it has ended already. */
function launchWorker(order: ServeOrder, scrape: () => Promise<string>): Worker {
  try {
    return spawnWorker(order, scrape);
  } catch (error) {
    const how = `cannot be started: ${(error as Error).message}`;
    return {
      pid: 0,
      ready: Promise.reject(new StartError(`Cannot start: a worker ${how}.`)),
      exited: Promise.resolve(how),
      answers: async () => false,
      kill() {},
      metrics: async () => [],
      stop: async () => true,
    };
  }
}

function spawnWorker(order: ServeOrder, scrape: () => Promise<string>): Worker {
  const ready = Promise.withResolvers<string>();
  let isReady = false;
  let reason: string | undefined;
  let measured = Promise.withResolvers<Metrics>();
  let last: Metrics = [];
  // Text, whatever its type says.
  const counters = () => last.filter(({ type }) => String(type) === "counter");

  const child = Bun.spawn([process.execPath, join(import.meta.dir, "worker.ts")], {
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
        tell({ type: "scraped", id: message.id, text: await scrape() });
      }
    },
  });
  const tell = (message: ToWorker) => {
    try {
      child.send(message);
    } catch {
      // It is ending, which `exited` tells.
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
    ready: ready.promise,
    exited,
    answers: () =>
      measure().then(
        () => true,
        () => false,
      ),
    kill: () => child.kill("SIGKILL"),
    async metrics() {
      if (!isReady) return counters();
      // One that hangs must not keep those of all others from being told.
      return await measure().catch(counters);
    },
    async stop() {
      const hasServed = isReady;
      child.kill("SIGTERM");
      const lastStop = setTimeout(() => child.kill("SIGKILL"), WORKER_STOP_MS);
      const how = await exited;
      clearTimeout(lastStop);
      return !hasServed || how === "code 0";
    },
  };
}
