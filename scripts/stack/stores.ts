import { type Config, givenIn } from "../../src/config.ts";
import { reasonOf } from "../../src/process.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres, ping } from "../../src/store/postgres.ts";
import { connectRedis, openRedis } from "../../src/store/redis.ts";
import { CommandError } from "../terminal/command.ts";
import { step } from "../terminal/output.ts";
import { startMeilisearch } from "./meilisearch.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import type { Stack } from "./stack-file.ts";
import type { Supervisor } from "./supervisor.ts";

/** The part of a stack about its three stores. */
type Stores = Omit<Stack, "baseUrl" | "pids"> & { pids: Omit<Stack["pids"], "server"> };

/** Starts each store whose address is not in the environment, and checks that the others answer. */
export async function startStores(supervisor: Supervisor, config: Config): Promise<Stores> {
  const { DATABASE_URL, REDIS_URL, MEILI_URL } = givenIn(process.env);
  const [postgres, redis, meilisearch] = await Promise.all([
    DATABASE_URL
      ? useGiven("DATABASE_URL", DATABASE_URL, checkPostgres(DATABASE_URL))
      : step("PostgreSQL", startPostgres(supervisor)),
    REDIS_URL
      ? useGiven("REDIS_URL", REDIS_URL, checkRedis(config.redisUrls))
      : step("Redis", startRedis(supervisor)),
    MEILI_URL
      ? useGiven("MEILI_URL", MEILI_URL, checkMeilisearch(config))
      : step("Meilisearch", startMeilisearch(supervisor)),
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    meiliUrl: meilisearch.url,
    meiliKey: "key" in meilisearch ? meilisearch.key : config.meiliKey,
    pids: { postgres: postgres.pid, redis: redis.pid, meilisearch: meilisearch.pid },
  };
}

async function useGiven(
  setting: string,
  url: string,
  check: Promise<void>,
): Promise<{ url: string; pid: null }> {
  await check.catch((error) => {
    throw new CommandError(
      `${setting} is set, but cannot be used: ${reasonOf(error)}. Correct it, or unset it to have one started.`,
    );
  });
  return { url, pid: null };
}

async function checkPostgres(url: string): Promise<void> {
  await using sql = openPostgres(url, { max: 1 });
  await ping(sql);
}

async function checkRedis(urls: readonly string[]): Promise<void> {
  const redis = openRedis(urls);
  await connectRedis(redis).finally(() => redis.disconnect());
}

/** /health answers without checking the key, so this requests something else. */
async function checkMeilisearch({ meiliUrl, meiliKey }: Config): Promise<void> {
  await openMeilisearch(meiliUrl, meiliKey).getRawIndexes({ limit: 1 });
}
