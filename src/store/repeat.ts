/**
 * Does some work at an interval, never twice at once. After a failure it goes on.
 * @returns stops it, and waits for the work under way
 */
export function repeat(intervalMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let current: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    current ??= work()
      // Reported to nobody here: whoever depends on the work sees how long ago it last succeeded.
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
