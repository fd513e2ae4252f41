import { until } from "../stack/waiting.ts";
import type { FrailRedis } from "./redis.ts";
import { masterOf, moveSlotOf } from "./reshard.ts";

/** A fault to inject into Redis. */
export interface Fault {
  name: string;
  /**
   * Resolves when the fault is over.
   * @param meterName the Redis key that counts the usage of the API key under load. In a cluster, the fault
   *   must hit the slot of that name, or the master that holds it.
   */
  happen(nodes: FrailRedis[], meterName: string): Promise<unknown>;
}

/** Faults of a single Redis. */
export const singleFaults: Fault[] = [
  {
    name: "kill",
    async happen([redis]) {
      await redis?.kill();
      await Bun.sleep(1_000);
      await redis?.restart();
    },
  },
  {
    name: "pause",
    async happen([redis]) {
      redis?.pause();
      await Bun.sleep(5_000);
      redis?.resume();
    },
  },
  {
    name: "cut",
    happen: async ([redis]) => redis?.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"),
  },
  { name: "flush", happen: async ([redis]) => redis?.call("FLUSHALL") },
  {
    name: "full",
    async happen([redis]) {
      await redis?.call("CONFIG", "SET", "maxmemory", "1mb");
      await Bun.sleep(2_000);
      await redis?.call("CONFIG", "SET", "maxmemory", "0");
    },
  },
];

/** Faults of a cluster. */
export const clusterFaults: Fault[] = [
  { name: "calm", happen: async () => {} },
  { name: "reshard", happen: moveSlotOf },
  {
    name: "failover",
    async happen(nodes, meterName) {
      const master = await masterOf(nodes, meterName);
      await master?.kill();
      const others = nodes.filter((node) => node !== master);
      await until(async () => (await masterOf(others, meterName)) !== undefined, 20_000);
    },
  },
];
