import type { Result } from "ioredis";
import type { RedisClient } from "../store/redis.ts";
import admitClientsLua from "./lua/admit-clients.lua" with { type: "text" };
import admitKeysLua from "./lua/admit-keys.lua" with { type: "text" };
import refundKeyLua from "./lua/refund-key.lua" with { type: "text" };
import seedMetersLua from "./lua/seed-meters.lua" with { type: "text" };

/** Makes the scripts commands of a client. The head of each says what its keys, arguments and answer are. */
export function defineScripts(redis: RedisClient): void {
  redis.defineCommand("admitClients", { lua: admitClientsLua });
  redis.defineCommand("admitKeys", { lua: admitKeysLua });
  redis.defineCommand("refundKey", { numberOfKeys: 1, lua: refundKeyLua });
  redis.defineCommand("seedMeters", { lua: seedMetersLua });
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    admitClients(count: number, ...values: (string | number)[]): Result<number[], Context>;
    admitKeys(count: number, ...values: (string | number)[]): Result<number[], Context>;
    refundKey(name: string, month: string): Result<null, Context>;
    seedMeters(count: number, ...values: (string | number)[]): Result<null, Context>;
  }
}
