import { afterAll } from "bun:test";
import { startFrailRedis } from "../../scripts/bench/redis.ts";
import { Supervisor } from "../../scripts/stack/supervisor.ts";
import { until } from "../../scripts/stack/waiting.ts";
import {
  type Admission,
  type AdmissionOptions,
  createAdmission,
} from "../../src/access/admission.ts";
import type { ApiKey } from "../../src/access/keys.ts";
import { type DurableUsage, openUsage } from "../../src/access/usage.ts";
import { openRedis, type RedisClient } from "../../src/store/redis.ts";
import { makeKey } from "../fixtures.ts";
import { createDatabase, newAddress, newFolder } from "../support.ts";

interface TestServer {
  admission: Admission;
  usage: DurableUsage;
  redis: RedisClient;
}

interface ServerOptions extends Partial<Omit<AdmissionOptions, "usage">> {
  instances: number;
  /** For servers that reach Redis through a proxy. */
  redisUrl?: string;
}

/** Starts a Redis that the tests of a file may kill, pause, empty, cut off and fill up, and a database. */
export async function startFrailStores() {
  const supervisor = new Supervisor(await newFolder());
  const [database, frail] = await Promise.all([createDatabase(), startFrailRedis(supervisor)]);
  afterAll(async () => {
    await supervisor.stop();
    await database.drop();
  });

  return {
    database,
    frail,
    /** Opens the admission of `instances` servers, without their upkeep: usage is written only on `flush`. */
    async withServers(
      { redisUrl = frail.url, ...options }: ServerOptions,
      use: (...servers: [TestServer, ...TestServer[]]) => Promise<void>,
    ): Promise<void> {
      const servers = await Promise.all(
        Array.from({ length: options.instances }, async () => {
          const redis = openRedis([redisUrl]);
          await redis.connect();
          const usage = openUsage(database.sql);
          return { admission: createAdmission(redis, { usage, ...options }), usage, redis };
        }),
      );
      try {
        await use(...(servers as [TestServer, ...TestServer[]]));
      } finally {
        for (const { admission, redis } of servers) {
          admission.stop();
          redis.disconnect();
        }
      }
    },
    /** Pauses Redis, and lets a server notice. */
    async beginOutage({ admission }: TestServer): Promise<void> {
      frail.pause();
      await admission.admitClient(newAddress());
    },
    /** What a key has used as far as PostgreSQL knows. */
    async stored({ meterId }: ApiKey): Promise<number> {
      const [row] = await database.sql`
        select used::integer from usage where meter_id = ${meterId}`;
      return row?.used ?? 0;
    },
  };
}

export const newKey = (limits: Partial<ApiKey> = {}) =>
  makeKey({ quota: 100, perMinute: 60_000, burst: 60_000, ...limits });

/** How many of so many concurrent requests are admitted. */
export async function admitted(
  { admission }: TestServer,
  key: ApiKey,
  requests: number,
): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, () => admission.admitKey(key)),
  );
  return decisions.filter(({ admitted }) => admitted).length;
}

/** Waits until Redis decides again. */
export const untilBack = ({ admission }: TestServer) =>
  until(() => !admission.state().isLocal, 15_000);

/** Does something once, after the next totals have been read and before the server hears of them. */
export function atNextRead(usage: DurableUsage, work: () => unknown): void {
  const { totals } = usage;
  usage.totals = async (...asked) => {
    usage.totals = totals;
    const used = await totals(...asked);
    await work();
    return used;
  };
}
