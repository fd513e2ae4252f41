import { readFile } from "node:fs/promises";

/**
 * Polls until the condition holds.
 * @throws NotInTimeError when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new NotInTimeError(`still not so after ${timeoutMs} ms`);
    await Bun.sleep(20);
  }
}

export class NotInTimeError extends Error {}

/** Whether the work succeeds. For `until`, which would otherwise fail on the first error instead of retrying. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Whether a program has written a text to its log. */
export async function hasLogged(log: string, text: string): Promise<boolean> {
  return (await readFile(log, "utf8")).includes(text);
}

/** Whether a server on this machine, reached without a proxy, answers with a status of 2xx. */
export async function isHealthy(url: string): Promise<boolean> {
  return (await fetch(url, { proxy: false }).catch(() => null))?.ok ?? false;
}

/** Whether there is a process with this id, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to somebody else.
    return (error as { code?: string }).code === "EPERM";
  }
}
