import pino, { type Logger } from "pino";
import { createAdmission } from "./access/admission.ts";
import { withDeadline } from "./access/deadline.ts";
import { createKeyring } from "./access/keyring.ts";
import { flushRegularly, openUsage } from "./access/usage.ts";
import { type Config, ConfigError, loadConfig } from "./config.ts";
import { startCompaction } from "./directory/compaction.ts";
import { SEARCH_INDEX } from "./search/settings.ts";
import { startSearchSync } from "./search/sync.ts";
import { serve } from "./server.ts";
import { openMeilisearch } from "./store/meilisearch.ts";
import { pendingMigrations } from "./store/migrations.ts";
import { openPostgres } from "./store/postgres.ts";
import { connectRedis, openRedis } from "./store/redis.ts";

export interface RunningServer {
  url: string;
  /** Finishes what is under way, then closes all connections. */
  stop(): Promise<void>;
}

/** Opens the stores and serves. Throws when one is away or the database lacks a migration. */
export async function start(
  config: Config,
  { searchIndex = SEARCH_INDEX, log = createLog() }: { searchIndex?: string; log?: Logger } = {},
): Promise<RunningServer> {
  const opened: (() => unknown)[] = [];
  /** Closes what was opened, the last first; what fails or hangs does not hold up the rest. */
  const stop = async () => {
    for (const close of opened.toReversed()) {
      await withDeadline(Promise.resolve(close()), STOP_MS).catch((error) =>
        log.error({ err: error }, "could not close in order"),
      );
    }
  };

  try {
    const sql = openPostgres(config.databaseUrl);
    opened.push(() => sql.end({ timeout: 2 }));
    const pending = await reach("PostgreSQL", () => pendingMigrations(sql));
    if (pending.length > 0) {
      throw new StartError(
        `The database lacks ${pending.join(", ")}: run \`bun scripts/migrate.ts\`.`,
      );
    }

    const redis = openRedis(config.redisUrls);
    opened.push(() => redis.disconnect());
    // Without a listener each failed attempt to reconnect would end the process; that Redis is away
    // is told by who needs it.
    redis.on("error", (error) => log.debug({ err: error }, "Redis"));
    await reach("Redis", () => connectRedis(redis));

    const usage = openUsage(sql);
    const usageWriter = flushRegularly(usage, log);
    opened.push(() => usageWriter.stop());
    const keyring = await createKeyring(sql);
    opened.push(() => keyring.stop());
    const admission = createAdmission(redis, {
      usage,
      instances: config.instances,
      onChange: (isLocal, cause) =>
        isLocal
          ? log.error({ err: cause }, "Redis is away or slow: this server decides by itself")
          : log.info("Redis decides again"),
    });
    opened.push(() => admission.stop());

    const meili = openMeilisearch(config.meiliUrl, config.meiliKey);
    const directory = { sql, meili, index: searchIndex };
    const compaction = startCompaction(sql, log);
    opened.push(() => compaction.stop());
    const searchSync = await startSearchSync({ ...directory, log });
    opened.push(() => searchSync.stop());

    const server = serve({ config, directory, keyring, admission, redis, log });
    opened.push(() => server.stop());
    if (config.workers > 1) {
      log.warn({ workers: config.workers }, "WORKERS: this version serves with one process");
    }
    const host = config.host.includes(":") ? `[${config.host}]` : config.host;
    return { url: `http://${host}:${server.port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Milliseconds that each part has to close: as long as the slowest answer may take. */
const STOP_MS = 5_000;

/** Milliseconds after which a stopping process ends, whatever is still open. */
const LAST_STOP_MS = 9_000;

async function reach<Result>(store: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    throw new StartError(`Cannot use ${store}: ${message || code || error}`, { cause: error });
  }
}

/** A reason not to start that the operator can do something about. */
export class StartError extends Error {}

function createLog(): Logger {
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

async function run(): Promise<void> {
  const log = createLog();
  let server: RunningServer;
  try {
    server = await start(loadConfig(process.env), { log });
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
  log.info({ url: server.url }, "serving");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      log.info({ signal }, "stopping");
      setTimeout(() => process.exit(1), LAST_STOP_MS).unref();
      server.stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, "could not stop cleanly");
          process.exit(1);
        },
      );
    });
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  return code === "EADDRINUSE"
    ? "Cannot start: the port is in use. Stop who uses it, or choose another with PORT."
    : `Cannot start: ${message || code || error}`;
}

if (import.meta.main) await run();
