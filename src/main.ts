import pino, { type Logger } from "pino";
import { createAdmission } from "./access/admission.ts";
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
  const sql = openPostgres(config.databaseUrl);
  const redis = openRedis(config.redisUrls);
  // Without a listener each failed attempt to reconnect would end the process; that Redis is away
  // is told by who needs it.
  redis.on("error", (error) => log.debug({ err: error }, "Redis"));
  const usage = openUsage(sql);
  const usageWriter = flushRegularly(usage, log);
  const closeStores = async () => {
    redis.disconnect();
    await usageWriter.stop();
    await sql.end({ timeout: 5 });
  };

  try {
    const pending = await reach("PostgreSQL", () => pendingMigrations(sql));
    if (pending.length > 0) {
      throw new StartError(
        `The database lacks ${pending.join(", ")}: run \`bun scripts/migrate.ts\`.`,
      );
    }
    await reach("Redis", () => connectRedis(redis));

    const meili = openMeilisearch(config.meiliUrl, config.meiliKey);
    const directory = { sql, meili, index: searchIndex };
    const keyring = await createKeyring(sql);
    const admission = createAdmission(redis, {
      usage,
      instances: config.instances * config.workers,
      onChange: (isLocal, cause) =>
        isLocal
          ? log.error({ err: cause }, "Redis is away or slow: this server decides by itself")
          : log.info("Redis decides again"),
    });
    const server = serve({ config, directory, keyring, admission, redis, log });
    const compaction = startCompaction(sql, log);
    const searchSync = await startSearchSync({ ...directory, log });

    return {
      url: `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`,
      async stop() {
        await server.stop();
        admission.stop();
        await Promise.all([searchSync.stop(), compaction.stop(), keyring.stop()]);
        await closeStores();
      },
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

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
