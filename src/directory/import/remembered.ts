import { LRUCache } from "lru-cache";

/** Does some work on texts that often repeat, and caches its last `most` results. */
export function remembered<Result>(
  most: number,
  work: (text: string) => Result,
): (text: string) => Result {
  // Each in an object, since the cache cannot hold null.
  const results = new LRUCache<string, { result: Result }>({
    max: most,
    memoMethod: (text) => ({ result: work(text) }),
  });
  return (text) => results.memo(text).result;
}
