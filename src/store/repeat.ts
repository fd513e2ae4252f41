/**
 * Does some work at an interval, never twice at once. After a failure it goes on.
 * @returns stops it, and waits for the work under way
 */
export function repeat(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  const timer = setInterval(() => {
    current ??= work()
      // Not told to anybody: whoever depends on what the work confirms sees that it has grown old.
      .catch(() => {})
      .finally(() => {
        current = undefined;
      });
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    await current;
  };
}
