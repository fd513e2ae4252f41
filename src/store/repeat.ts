/**
 * Does some work at an interval, never twice at once, and goes on after a failure.
 * @returns stops it, and waits for a run in progress
 */
export function repeat(intervalMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let current: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    current ??= work()
      // Not reported here: whoever depends on the work sees how long ago it last succeeded.
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
