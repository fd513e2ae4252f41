import type { Logger } from "pino";
import { causeOf } from "../store/away.ts";
import type { RedisClient } from "../store/redis.ts";

/**
 * Logs when Redis goes down, why, and when it is back. The error of a command says only that there is no
 * connection. The reason is in the connection's own error, or in that of the next attempt.
 * @returns the listener of createAdmission's onChange
 */
export function logOutages(redis: RedisClient, log: Logger) {
  /** The connection's last error since it was last ready. */
  let fault: unknown;
  /** An outage was logged before the connection said why. */
  let isUnexplained = false;
  redis.on("error", (error) => {
    // On a cluster, the error of one of its nodes.
    fault = (error as { lastNodeError?: unknown }).lastNodeError ?? error;
    log.debug({ err: fault }, "Redis");
    if (isUnexplained) log.error({ err: causeOf(fault) }, "Redis cannot be reached");
    isUnexplained = false;
  });
  redis.on("ready", () => {
    fault = undefined;
  });
  return (isLocal: boolean, cause?: unknown): void => {
    isUnexplained = isLocal && fault === undefined;
    if (isLocal) {
      const err = causeOf(fault ?? cause);
      log.error({ err }, "Redis is down or slow: this server decides by itself");
    } else {
      log.info("Redis decides again");
    }
  };
}
