import { LRUCache } from "lru-cache";

/** A function of texts that often repeat, which caches its last `most` results. */
export function memoized<Result>(
  most: number,
  work: (text: string) => Result,
): (text: string) => Result {
  // Each in an object, since the cache cannot hold null.
  const results = new LRUCache<string, { result: Result }>({ max: most });
  return (text) => {
    let known = results.get(text);
    if (!known) {
      // Not by memo() of the library: each response looks one up, and that takes several times as long.
      known = { result: work(text) };
      results.set(text, known);
    }
    return known.result;
  };
}
