import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { AdmissionUnavailable, SECOND } from "./decisions.ts";
import admitClientsLua from "./lua/admit-clients.lua" with { type: "text" };

/**
 * @returns 0 when let in, or the whole seconds until there is room
 * @throws AdmissionUnavailable when Redis is away
 */
export type Window = (client: string) => Promise<number>;

/**
 * A sliding window of its own beside that of open access: at most `limit` admissions of a client in
 * any `seconds`.
 * @param name its place in Redis; different for each window
 */
export function createWindow(
  redis: RedisClient,
  { name, limit, seconds }: { name: string; limit: number; seconds: number },
): Window {
  redis.defineCommand("admitClients", { lua: admitClientsLua });
  return async (client) => {
    const key = `admissions:${name}:{${client}}`;
    const answer = redis.admitClients(1, key, "", limit, seconds * SECOND);
    try {
      const [waitMicroseconds = 0] = await withDeadline(answer, DEADLINE_MS);
      return Math.ceil(waitMicroseconds / SECOND);
    } catch (error) {
      throw new AdmissionUnavailable("How often a client has come cannot be told", {
        cause: error,
      });
    }
  };
}

const DEADLINE_MS = 250;
