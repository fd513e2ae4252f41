import type { Logger } from "pino";
import type { RedisClient } from "../store/redis.ts";

/**
 * Warns when Redis, once it is full, forgets what callers have used. Never throws: where INFO is not allowed,
 * nothing is known.
 */
export async function warnOfEviction(redis: RedisClient, log: Logger): Promise<void> {
  const memory = await redis.info("memory").catch(() => "");
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  const isUnlimited = /^maxmemory:0\s/m.test(memory);
  if (policy === undefined || policy === "noeviction" || isUnlimited) return;
  log.warn(
    { policy },
    "a full Redis would forget what callers have used: set its maxmemory-policy to noeviction",
  );
}
