import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { AdmissionUnavailable, SECOND } from "./decisions.ts";
import { defineScripts } from "./scripts.ts";

/**
 * @returns 0 when admitted, or whole seconds until there is room
 * @throws AdmissionUnavailable when Redis is down or slow
 */
export type Window = (client: string) => Promise<number>;

/**
 * A sliding window separate from that of open access: at most `limit` admissions of a client in any
 * `seconds`.
 * @param name part of its keys in Redis; unique to each window
 * @param deadlineMs how long Redis may take; longer in tests, where it may be slow without being down
 */
export function createWindow(
  redis: RedisClient,
  {
    name,
    limit,
    seconds,
    deadlineMs = DEADLINE_MS,
  }: { name: string; limit: number; seconds: number; deadlineMs?: number | undefined },
): Window {
  defineScripts(redis);
  return async (client) => {
    const key = `admissions:${name}:{${client}}`;
    const answer = redis.admitClients(1, key, "", limit, seconds * SECOND);
    try {
      const [waitMicroseconds = 0] = await withDeadline(answer, deadlineMs);
      return Math.ceil(waitMicroseconds / SECOND);
    } catch (error) {
      throw new AdmissionUnavailable("the window of a client cannot be read", { cause: error });
    }
  };
}

const DEADLINE_MS = 250;
