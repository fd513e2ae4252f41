import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { OPEN_WINDOW_MICROSECONDS } from "./decisions.ts";
import { meterName, windowName } from "./meters.ts";
import { defineScripts } from "./scripts.ts";

/**
 * Does what decisions and probes do, on keys that belong to nobody. Otherwise missing rights would show only at
 * the first request: Redis would answer every probe, and refuse every decision.
 * @throws Error when Redis does not let its user do that, or has renamed a command; any other fault may pass, and
 *   shows later
 */
export async function checkRights(redis: RedisClient): Promise<void> {
  defineScripts(redis);
  try {
    await withDeadline(decideForNobody(redis), LONGEST_CHECK_MS);
  } catch (error) {
    const { message } = error as Error;
    if (/^NOPERM|can't run this command/.test(message)) {
      throw new Error(`its user lacks rights that scripts/README.md lists: ${message}`);
    }
    // A script says "Unknown Redis command".
    if (/unknown (\w+ )?command/i.test(message)) {
      throw new Error(`it lacks a command that scripts/README.md lists: ${message}`);
    }
  }
}

const LONGEST_CHECK_MS = 1_000;

async function decideForNobody(redis: RedisClient): Promise<void> {
  // The first is sent as EVAL and admitted, the second as EVALSHA and refused: each needs commands of its own.
  for (let time = 1; time <= 2; time++) {
    await redis.admitClients(1, windowName(NOBODY), "", 1, OPEN_WINDOW_MICROSECONDS);
  }
  await redis.admitKeys(1, meterName(NOBODY), "", "1 1 1 0");
  await redis.seedMeters(1, meterName(NOBODY), "", 0, 0, 1, "");
  await redis.set(`probe:{${NOBODY}}`, "", "PX", 1);
}

const NOBODY = "nobody";
