import { LRUCache } from "lru-cache";

/** Does some work on texts of which many come again, and remembers what the last `most` came to. */
export function remembered<Result>(
  most: number,
  work: (text: string) => Result,
): (text: string) => Result {
  // In an object each, since the cache takes no null.
  const results = new LRUCache<string, { result: Result }>({
    max: most,
    memoMethod: (text) => ({ result: work(text) }),
  });
  return (text) => results.memo(text).result;
}
