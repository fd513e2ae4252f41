import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createAdmission } from "./access/admission.ts";
import { createKeyring } from "./access/keyring.ts";
import { logOutages } from "./access/outage-log.ts";
import { flushRegularly, openUsage } from "./access/usage.ts";
import { type Config, loadConfig } from "./config.ts";
import { startCompaction } from "./directory/compaction.ts";
import { openPageFile } from "./directory/kept-pages.ts";
import { createAnswerCache } from "./handlers/answer-cache.ts";
import { type AnswerCounts, createMetrics, type UpkeepTasks } from "./metrics.ts";
import { LONGEST_HANDLING_MS } from "./middleware/answerInTime.ts";
import {
  closeInOrder,
  createLog,
  explain,
  listenOn,
  reach,
  StartError,
  stopOnSignal,
} from "./process.ts";
import { startSearchSync } from "./search/continuous-sync.ts";
import { createSearch } from "./search/query.ts";
import { SEARCH_INDEX } from "./search/settings.ts";
import { serve } from "./server.ts";
import { withDeadline } from "./store/deadline.ts";
import { openMeilisearch } from "./store/meilisearch.ts";
import { pendingMigrations } from "./store/migrations.ts";
import { openPostgres, type PostgresOptions } from "./store/postgres.ts";
import { connectRedis, openRedis } from "./store/redis.ts";
import { startWorkers } from "./workers.ts";

export interface RunningServer {
  url: string;
  /** The metrics of this process alone. */
  metrics: Registry;
  /** Finishes what is under way, then closes all connections. */
  stop(): Promise<void>;
}

interface StartOptions {
  searchIndex?: string;
  log?: Logger;
  /** Whether to do what one process does for all: fold list totals, keep search current. */
  upkeep?: boolean;
  /** Size of the cache of finished answers on disk; 0 turns it off. */
  cacheBytes?: number;
  /** What /metrics answers; by default the metrics of this process. */
  scrape?: () => Promise<string>;
  /** Whether its settings have proved right before: then it need not wait for Redis, and decides by itself. */
  isReplacement?: boolean;
}

/**
 * Opens the stores and serves, in this process alone. Meilisearch may be away: until it is there,
 * searches are answered with 503.
 * @throws StartError when PostgreSQL is away, or Redis, except for a replacement; when the database lacks a
 *   migration, or the port or the folder for temporary files cannot be used
 */
export async function start(
  config: Config,
  {
    searchIndex = SEARCH_INDEX,
    log = createLog(),
    upkeep = true,
    cacheBytes = CACHE_BYTES / config.workers,
    scrape,
    isReplacement = false,
  }: StartOptions = {},
): Promise<RunningServer> {
  const opened: (() => unknown)[] = [];
  const stop = () => closeInOrder(opened);
  const openPool = (options: PostgresOptions) => {
    const sql = openPostgres(config.databaseUrl, { ...POSTGRES, ...options });
    opened.push(() => sql.end({ timeout: 2 }));
    return sql;
  };
  const stopLater = <Part extends { stop(): unknown }>(part: Part): Part => {
    opened.push(() => part.stop());
    return part;
  };

  try {
    const sql = openPool({ longestStatementMs: LONGEST_STATEMENT_MS });
    // For admission and cache invalidation, which must not queue behind slow answers: under load even
    // what the cache can answer would be refused, or asked of the database again.
    // One connection each for keys that are not known yet, for writing what keys have used, for looking that
    // up, and for what must wait for none of these.
    const control = openPool({ max: 4, longestStatementMs: LONGEST_STATEMENT_MS });
    const pending = await reach("PostgreSQL (DATABASE_URL)", () => pendingMigrations(sql));
    if (pending.length > 0) {
      throw new StartError(
        `The database lacks ${pending.join(", ")}: run \`bun scripts/migrate.ts\`.`,
      );
    }

    const redis = openRedis(config.redisUrls);
    opened.push(() => redis.disconnect());
    const onOutage = logOutages(redis, log);
    const connected = reach("Redis (REDIS_URL)", () => connectRedis(redis));
    // It goes on trying by itself, and the first decision shows that Redis is away.
    await (isReplacement ? connected.catch(() => {}) : connected);

    const usage = openUsage(control);
    const usageWriter = stopLater(flushRegularly(usage, log));
    const keyring = stopLater(await createKeyring(control));
    const instances = config.instances * config.workers;
    const admission = stopLater(createAdmission(redis, { usage, instances, onChange: onOutage }));

    const file = await reach("a file in TMPDIR", async () =>
      openPageFile(config.tempFolder, cacheBytes),
    );
    opened.push(() => file.close());
    const cache = stopLater(
      await reach("PostgreSQL (DATABASE_URL)", () => createAnswerCache(control, file, log)),
    );

    const meili = openMeilisearch(config.meiliUrl, config.meiliKey);
    const tasks: UpkeepTasks = { keys: keyring, pages: cache, usage: usageWriter };
    if (upkeep) {
      // What is done beside answers may take longer than they, and holds none of them up.
      const background = openPool({ max: 3 });
      const store = { sql: background, meili, index: searchIndex };
      tasks.totals = stopLater(startCompaction(background, log));
      tasks.search = stopLater(await startSearchSync({ ...store, listener: control, log }));
    }

    const counts: AnswerCounts = new Map();
    const metrics = createMetrics(admission, tasks, counts);
    scrape ??= () => metrics.metrics();
    const search = createSearch({ sql, meili, index: searchIndex }, config.workers);
    const parts = { config, sql, search, cache, keyring, admission, redis, counts, scrape, log };
    const server = listenOn(config, () => serve(parts));
    // server.stop() also waits for connections that have sent no request yet, for longer than any answer
    // takes. So after that time all that are left are closed.
    opened.push(() =>
      withDeadline(server.stop(), LONGEST_ANSWER_MS).catch(() => server.stop(true)),
    );
    const host = config.host.includes(":") ? `[${config.host}]` : config.host;
    return { url: `http://${host}:${server.port}`, metrics, stop };
  } catch (error) {
    // Why it cannot start says more than what that keeps from being closed.
    await stop().catch(() => {});
    throw error;
  }
}

/** Room for some hundred thousand pages of twenty businesses, in all processes of a server. */
const CACHE_BYTES = 720 * 1024 * 1024;

const POSTGRES = {
  keepsPlans: true,
  // More than any statement of a server takes, which is a few seconds.
  longestSilenceMs: 30_000,
};

/** Less than a handler may take, so that there is time to answer with what a statement has done. */
const LONGEST_STATEMENT_MS = LONGEST_HANDLING_MS - 1_000;

/** Milliseconds: the handler's time, and some to send what it answers. */
const LONGEST_ANSWER_MS = LONGEST_HANDLING_MS + 500;

async function run(): Promise<void> {
  const log = createLog();
  try {
    const config = loadConfig(process.env);
    const { url, stop } = await (config.workers > 1 ? startWorkers : start)(config, { log });
    // First: whoever waits for that line may tell this process to stop right after it.
    stopOnSignal(stop, () => log);
    log.info({ url }, "serving");
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}

if (import.meta.main) await run();
