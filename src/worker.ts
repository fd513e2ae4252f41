import { type RunningServer, start } from "./main.ts";
import { createLog, explain, stopOnSignal } from "./process.ts";
import { withDeadline } from "./store/deadline.ts";
import type { FromWorker, ServeOrder, ToWorker } from "./worker-process.ts";

/** The program of a worker: serves on the order of its parent, workers.ts, until that ends. */

const number = Number(process.argv[2]);
const log = createLog().child({ worker: number });
let server: RunningServer | undefined;
/** The metrics of all workers, while they are requested from the parent. */
let scraped: PromiseWithResolvers<string> | undefined;

stopOnSignal(async () => server?.stop(), log);
process.on("message", async (message: ToWorker) => {
  if (message.type === "serve") await serve(message);
  else if (message.type === "scraped") scraped?.resolve(message.text);
  else if (server) tell({ type: "metrics", metrics: await server.metrics.getMetricsAsJSON() });
});

async function serve({ config, isReplacement }: ServeOrder): Promise<void> {
  try {
    server = await start(config, { log, upkeep: number === 0, scrape, isReplacement });
    tell({ type: "ready", url: server.url });
  } catch (error) {
    tell({ type: "failed", reason: explain(error) });
    process.exit(1);
  }
}

/** The metrics of all workers together. Concurrent callers share one request to the parent. */
async function scrape(): Promise<string> {
  if (!scraped) {
    scraped = Promise.withResolvers();
    tell({ type: "scrape" });
  }
  const asked = scraped;
  return await withDeadline(asked.promise, LONGEST_SCRAPE_MS).finally(() => {
    // A caller that joined late times out late, when others may have begun a new request.
    if (scraped === asked) scraped = undefined;
  });
}

const LONGEST_SCRAPE_MS = 2_000;

function tell(message: FromWorker): void {
  process.send?.(message);
}
