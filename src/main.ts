import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createAdmission } from "./access/admission.ts";
import { warnOfEviction } from "./access/eviction.ts";
import { createKeyring } from "./access/keyring.ts";
import { logOutages } from "./access/outage-log.ts";
import { checkRights } from "./access/rights.ts";
import { flushRegularly, openUsage } from "./access/usage.ts";
import type { AnswerCounts } from "./answer-counts.ts";
import { type Config, loadConfig } from "./config.ts";
import { startCompaction } from "./directory/compaction.ts";
import { openPageFile } from "./directory/kept-pages.ts";
import { createPageCache } from "./directory/page-cache.ts";
import { keptAnswers } from "./handlers/answer-cache.ts";
import { createMetrics, type UpkeepTasks } from "./metrics.ts";
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
import { warnOfSortOrder } from "./store/sort-order.ts";
import { startWorkers } from "./workers.ts";

export interface RunningServer {
  url: string;
  /** The metrics of this process alone. */
  metrics: Registry;
  /** Finishes the requests in flight, then closes all connections. */
  stop(): Promise<void>;
}

interface StartOptions {
  searchIndex?: string;
  log?: Logger;
  /** Whether to run what one process does for all: fold list totals, keep search current. */
  upkeep?: boolean;
  /** Size of this process's cache of finished answers on disk; 0 turns it off. */
  cacheBytes?: number;
  /** What /metrics answers; by default the metrics of this process. */
  scrape?: () => Promise<string>;
  /** Whether its settings are known to work: then Redis need not answer, and it decides by itself meanwhile. */
  isReplacement?: boolean;
  /** How long Redis may take before this process does without it; longer in tests. */
  redisDeadlineMs?: number;
}

/**
 * Opens the stores and serves, in this process alone. Meilisearch may be down: until it is up, searches are
 * answered with 503.
 * @throws StartError when PostgreSQL is down, or Redis, except for a replacement; when a migration is
 *   pending, or the port or the folder for temporary files cannot be used
 */
export async function start(
  config: Config,
  {
    searchIndex = SEARCH_INDEX,
    log = createLog(),
    upkeep = true,
    cacheBytes = CACHE_BYTES,
    scrape,
    isReplacement = false,
    redisDeadlineMs: deadlineMs,
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
    // For admission and cache invalidation, which must not queue behind slow queries: under load even cached
    // answers would be refused, or queried again. One connection each for keys that are not cached yet, for
    // writing usage, for reading it, and for whatever must wait for none of these; holding usage, as after a
    // failover of Redis, takes one of them for a moment.
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
    const connected = reach("Redis (REDIS_URL)", async () => {
      await connectRedis(redis);
      await checkRights(redis);
    });
    // The client keeps trying, and the first decision shows that Redis is down.
    await (isReplacement ? connected.catch(() => {}) : connected);
    if (upkeep) warnOfEviction(redis, log);

    const usage = openUsage(control);
    const usageWriter = stopLater(flushRegularly(usage, log));
    const keyring = stopLater(
      await reach("PostgreSQL (DATABASE_URL)", () => createKeyring(control)),
    );
    const instances = config.instances * config.workers;
    const admission = stopLater(
      createAdmission(redis, { usage, instances, onChange: onOutage, deadlineMs }),
    );

    const file = await reach("a file in TMPDIR", async () =>
      openPageFile(config.tempFolder, cacheBytes),
    );
    opened.push(() => file.close());
    const cache = stopLater(
      await reach("PostgreSQL (DATABASE_URL)", () =>
        createPageCache(control, file, log, keptAnswers),
      ),
    );

    const meili = openMeilisearch(config.meiliUrl, config.meiliKey);
    const tasks: UpkeepTasks = { keys: keyring, pages: cache, usage: usageWriter };
    if (upkeep) {
      // Background work may take longer than answers, and must not hold them up.
      const background = openPool({ max: 3 });
      warnOfSortOrder(background, log);
      const store = { sql: background, meili, index: searchIndex };
      tasks.totals = stopLater(startCompaction(background, log));
      tasks.search = stopLater(await startSearchSync({ ...store, listener: control, log }));
    }

    const counts: AnswerCounts = new Map();
    const metrics = createMetrics(admission, tasks, counts);
    scrape ??= () => metrics.metrics();
    const search = createSearch({ sql, meili, index: searchIndex }, config.workers);
    const parts = { config, sql, search, cache, keyring, admission, redis, counts, scrape, log };
    const server = listenOn(config, () => serve({ ...parts, redisDeadlineMs: deadlineMs }));
    // server.stop() also waits for connections that have sent no request yet, for longer than any answer
    // takes. So after that time the rest are closed.
    opened.push(() =>
      withDeadline(server.stop(), LONGEST_ANSWER_MS).catch(() => server.stop(true)),
    );
    return { url: server.url.origin, metrics, stop };
  } catch (error) {
    // Why it cannot start matters more than what then fails to close.
    await stop().catch(() => {});
    throw error;
  }
}

/**
 * Room for some hundred thousand pages of twenty businesses. Not less with several processes: each is asked for all
 * of them, since Linux spreads connections without looking at their requests.
 */
const CACHE_BYTES = 720 * 1024 * 1024;

const POSTGRES = {
  keepsPlans: true,
  // More than any statement of a server takes, which is a few seconds.
  longestSilenceMs: 30_000,
};

/** Less than a handler may take, so that there is time to answer. */
const LONGEST_STATEMENT_MS = LONGEST_HANDLING_MS - 1_000;

/** Milliseconds: the handler's time, and some to send its answer. */
const LONGEST_ANSWER_MS = LONGEST_HANDLING_MS + 500;

async function run(): Promise<void> {
  const log = createLog();
  try {
    const config = loadConfig(process.env);
    const { url, stop } = await (config.workers > 1 ? startWorkers : start)(config, { log });
    // Before that line is logged: whoever waits for it may stop this process right after.
    stopOnSignal(stop, log);
    log.info({ url }, "serving");
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}

if (import.meta.main) await run();
