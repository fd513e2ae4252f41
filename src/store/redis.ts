import { Cluster, Redis } from "ioredis";

export type RedisClient = Redis | Cluster;

/**
 * Opens Redis; several addresses mean a Redis Cluster.
 * No offline queue: a caller hears at once that Redis is away and can decide by itself.
 */
export function openRedis(urls: readonly string[]): RedisClient {
  const [url] = urls;
  if (url === undefined) throw new Error("openRedis needs at least one address");
  const options = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
  };
  return urls.length > 1
    ? new Cluster([...urls], {
        enableOfflineQueue: false,
        lazyConnect: true,
        redisOptions: options,
      })
    : new Redis(url, options);
}
