import { Cluster, Redis, type RedisOptions } from "ioredis";
import { DeadlineError, withDeadline } from "./deadline.ts";

export type RedisClient = Redis | Cluster;

/**
 * Opens a client of Redis. Several addresses mean a Redis Cluster, whose other nodes are discovered, and
 * reached with the credentials and TLS of the first address. No offline queue: a caller learns at once that
 * Redis is down and can decide by itself. The client is patched (see patches/ beside this): as published, a
 * slot that moves to a node that is gone ends the process.
 * @param options.longestSilenceMs how long Redis may take to become ready once it is connected; shorter in tests
 */
export function openRedis(
  urls: readonly string[],
  { longestSilenceMs = LONGEST_SILENCE_MS } = {},
): RedisClient {
  const [url] = urls;
  if (url === undefined) throw new Error("openRedis needs at least one address");
  const options = {
    enableOfflineQueue: false,
    // A command whose connection breaks fails at once, and this server decides by itself. If the command were
    // resent on the next connection, Redis would count the request too.
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    // How long disconnect() waits before it drops the connection, even a dead one.
    disconnectTimeout: 100,
    retryStrategy: pauseAfter,
    lazyConnect: true,
    // Otherwise the first command would be one whose error the client drops. A Redis that has too many clients
    // answers it with that, and closes.
    disableClientInfo: true,
    // READONLY is the answer of a master that has become a replica. After reconnecting, the address may lead
    // to the new master.
    reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  };
  const redis =
    urls.length > 1
      ? new Cluster([...urls], {
          enableOfflineQueue: false,
          lazyConnect: true,
          redisOptions: { ...options, ...accessOf(url) },
          // Otherwise unanswered commands would be resent, as above.
          retryDelayOnFailover: 0,
          clusterRetryStrategy: pauseAfter,
          slotsRefreshInterval: 2_000,
          slotsRefreshTimeout: 500,
        })
      : cutWhenSilent(new Redis(url, options), longestSilenceMs);
  // Commands fail with the reason. An error event of the connection without a listener would be printed, or
  // end the process.
  redis.on("error", () => {});
  return redis;
}

/**
 * Reconnects when Redis does not become ready in time: the peer may have vanished. Commands fail at once
 * until it is ready, so none of them would show that; those to the nodes of a cluster do, since they are
 * queued.
 */
function cutWhenSilent(redis: Redis, longestSilenceMs: number): Redis {
  let timer: NodeJS.Timeout | undefined;
  const isHeard = () => clearTimeout(timer);
  redis.on("connect", () => {
    timer = setTimeout(() => redis.disconnect(true), longestSilenceMs);
  });
  redis.on("ready", isHeard);
  redis.on("close", isHeard);
  return redis;
}

/** What a cluster does not tell about its nodes: our credentials, and whether they use TLS. */
function accessOf(url: string): Pick<RedisOptions, "username" | "password" | "tls"> {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === "rediss:" && { tls: {} }),
  };
}

/**
 * Connects, on a cluster to each of its masters, so that no first request has to wait for that.
 * @throws the error of the connection, or DeadlineError when Redis does not answer
 */
export async function connectRedis(redis: RedisClient): Promise<void> {
  const connect = async () => {
    await redis.connect();
    if (redis instanceof Cluster) {
      await Promise.all(redis.nodes("master").map((master) => master.ping()));
    } else if (redis.options.db) {
      // The client has done this already, but if it failed, it goes on with database 0.
      await redis.select(redis.options.db);
    }
  };
  // connect() fails with "Connection is closed." alone; only this event says why, the first time.
  let cause: unknown;
  const note = (error: unknown) => {
    cause ??= error;
  };
  redis.on("error", note);
  try {
    await withDeadline(connect(), LONGEST_CONNECTING_MS);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw cause ?? error;
    if (redis.status !== "connect") throw error;
    throw new DeadlineError(`${error.message} that it is ready: ${NOT_READY}`);
  } finally {
    redis.off("error", note);
  }
}

const LONGEST_CONNECTING_MS = 5_000;

/** Why Redis may accept connections and no commands. */
const NOT_READY = "it hangs, or still loads its data, as after a start";

/** Milliseconds; more than LONGEST_CONNECTING_MS, so that a start fails with that deadline, which says more. */
const LONGEST_SILENCE_MS = 6_000;

/** Milliseconds between two attempts to reconnect. */
const pauseAfter = (attempts: number) => Math.min(attempts * 50, 500);
