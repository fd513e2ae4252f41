import { DeadlineError, withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";

/**
 * Whether Redis decides, or this process by itself. During an outage, probes Redis in the background until it
 * is back.
 * @param options.onBegin once for each outage
 * @param options.recover runs before Redis decides again; if it throws, the outage goes on
 * @param options.onEnd once for each outage
 * @param options.hangingMs how long a probe may go unanswered before the client reconnects
 */
export function watchOutages(
  redis: RedisClient,
  {
    onBegin,
    recover,
    onEnd,
    hangingMs = HANGING_MS,
  }: {
    onBegin(cause: unknown): void;
    recover(): Promise<void>;
    onEnd(): void;
    hangingMs?: number;
  },
) {
  let isOn = false;
  let count = 0;
  let isStopped = false;
  /** What to probe: on Redis Cluster a part of it may be down. */
  const subjects = new Set<string>();

  /** @throws when Redis does not take a write */
  async function probe(): Promise<void> {
    // A write, since a full Redis still answers reads. In the slot of the window or meter.
    const writes = Array.from(subjects, (subject) =>
      redis.set(`probe:{${subject}}`, "", "PX", PROBE_EXPIRY_MS),
    );
    const all = Promise.all(writes);
    const slow = withDeadline(all, hangingMs).catch((error) => {
      // The connection may be dead. It is not dropped sooner, since Redis may only be paused: its late
      // answers say what it has charged, and would be lost.
      if (error instanceof DeadlineError) redis.disconnect(true);
    });
    try {
      await withDeadline(all, PROBE_MS);
    } catch (error) {
      // One probe at a time: they would pile up at a paused Redis, which would run all of them later.
      await slow;
      throw error;
    }
  }

  async function waitForEnd(): Promise<void> {
    while (!isStopped) {
      try {
        await probe();
        await recover();
        break;
      } catch {
        // The cause was reported when the outage began.
        await Bun.sleep(PAUSE_MS);
      }
    }
    if (isStopped) return;
    subjects.clear();
    isOn = false;
    onEnd();
  }

  return {
    get isOn() {
      return isOn;
    },
    /** How many there have been, including the current one. */
    get count() {
      return count;
    },
    /** Reports that Redis failed on the window or meter of this client or key. */
    begin(cause: unknown, subject: string) {
      if (subjects.size < MOST_SUBJECTS) subjects.add(subject);
      if (isOn || isStopped) return;
      isOn = true;
      count += 1;
      onBegin(cause);
      waitForEnd();
    },
    stop() {
      isStopped = true;
    },
  };
}

const PROBE_MS = 100;
const PROBE_EXPIRY_MS = 1_000;
const PAUSE_MS = 100;
const HANGING_MS = 10_000;
const MOST_SUBJECTS = 32;
