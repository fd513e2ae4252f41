/**
 * Does some work over and over, one at a time. What fails is done again.
 * @returns ends it, once the work under way is done
 */
export function repeat(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  const timer = setInterval(() => {
    current ??= work()
      // What the work confirms grows old meanwhile, and then whoever asks hears what is wrong.
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
