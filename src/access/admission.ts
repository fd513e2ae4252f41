import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { createCatchUp } from "./catch-up.ts";
import { AdmissionUnavailable, type Decision, type MeterReading, SECOND } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";
import { createLastSeen } from "./last-seen.ts";
import { createLocalLimiter } from "./local.ts";
import { createMeters } from "./meters.ts";
import { watchOutages } from "./outage.ts";
import { createRecovery } from "./recovery.ts";
import { createSeeding } from "./seeding.ts";
import type { DurableUsage } from "./usage.ts";

export type Admission = ReturnType<typeof createAdmission>;

export interface AdmissionOptions {
  /** Flushed here only when something depends on it; the caller must flush it regularly. */
  usage: DurableUsage;
  /** Processes, of all servers, that share the limits while Redis is down. */
  instances?: number;
  /** Called when Redis goes down, with the cause, and when it is back. */
  onChange?: (isLocal: boolean, cause?: unknown) => void;
  /** Microseconds since 1970, for tests; by default Redis's own clock is used. */
  clock?: () => number;
  /** How long Redis may take before this process decides; longer in tests. */
  deadlineMs?: number | undefined;
}

/**
 * Decides which requests are admitted: with scripts in Redis or, while Redis is down or slow, by the same
 * rules in this process. Charges are recorded in PostgreSQL either way, and a meter that Redis lacks is
 * seeded from there. Throws AdmissionUnavailable only when that record cannot be read.
 *
 * Starts out with Redis deciding; if it is not connected, the first decision begins an outage.
 */
export function createAdmission(
  redis: RedisClient,
  { usage, instances = 1, onChange = () => {}, clock, deadlineMs }: AdmissionOptions,
) {
  const meters = createMeters(redis, { clock, deadlineMs });
  const local = createLocalLimiter(instances, clock);
  const lastSeen = createLastSeen();
  const recovery = createRecovery(meters, local, usage, (...failure) => outage.begin(...failure));
  const seed = createSeeding(meters, local, usage, lastSeen, recovery);
  const refusals = { open: 0, rate_limited: 0, quota_exceeded: 0 };

  const outage = watchOutages(redis, {
    onBegin(cause) {
      // Here rather than at the end of the last outage: a look-up that was under way then may have seeded a meter
      // since, without what Redis has charged meanwhile.
      local.forgetMeters();
      onChange(true, cause);
      // If Redis comes back empty, the other servers seed their meters from this. A failure is not reported
      // here: the regular flush will fail too, and logs it.
      usage.flush().catch(() => {});
    },
    recover: recovery.run,
    onEnd() {
      recovery.end();
      onChange(false);
    },
  });

  const catchUp = createCatchUp(meters, usage, lastSeen, () => outage.isOn);
  usage.onWritten((month, totals) => {
    if (!outage.isOn) return catchUp(month, totals);
    // Other servers may still be able to reach Redis, and then are not limited to a share.
    for (const { meterId, used } of totals) {
      local.learn(meterId, month, used + usage.unwritten(meterId, month));
    }
  });

  async function charge(key: ApiKey, cost: 0 | 1): Promise<Decision> {
    if (outage.isOn) return await chargeLocally(key, cost);
    try {
      for (;;) {
        const decision = await meters.charge(key, cost);
        if (decision.admitted && cost > 0 && outage.isOn) {
          // An outage has begun since: this process may already have admitted others that Redis did not count.
          takeBack(key, decision);
          return await chargeLocally(key, cost);
        }
        if (decision.admitted !== null) {
          lastSeen.remember(key, decision);
          return counted(key, cost, decision);
        }
        await seed.inRedis(key, decision.month);
      }
    } catch (error) {
      if (error instanceof AdmissionUnavailable) throw error;
      outage.begin(error, key.meterId);
      return await chargeLocally(key, cost);
    }
  }

  async function chargeLocally(key: ApiKey, cost: 0 | 1): Promise<Decision> {
    for (;;) {
      const decision = local.charge(key, cost);
      if (decision) return counted(key, cost, decision);
      await seed.locally(key, local.month(key.meterId));
      // The outage may be over by now: Redis would no longer be told of a charge that is made here.
      if (!outage.isOn) return await charge(key, cost);
    }
  }

  /** Best effort: if it fails, the holder of the key loses a request. */
  function takeBack({ meterId }: ApiKey, { month }: MeterReading): void {
    meters.refund(meterId, month).catch(() => {});
  }

  /** Counts a charge synchronously, so that whoever reads the count next sees it. */
  function counted({ meterId }: ApiKey, cost: 0 | 1, decision: Decision): Decision {
    if (decision.admitted) usage.count(meterId, decision.month, cost);
    else refusals[decision.reason] += 1;
    return decision;
  }

  function toSeconds(microseconds: number): number {
    if (microseconds > 0) refusals.open += 1;
    return Math.ceil(microseconds / SECOND);
  }

  return {
    /**
     * Open access: at most 60 requests in any 60 seconds. A refusal is not counted.
     * @returns 0 when admitted, or whole seconds until there is room
     */
    admitClient(client: string): number | Promise<number> {
      if (outage.isOn) return toSeconds(local.admitClient(client));
      return meters.admitClient(client).then(toSeconds, (error) => {
        outage.begin(error, client);
        return toSeconds(local.admitClient(client));
      });
    },
    /**
     * Keyed access: charges one request to both bucket and quota or, when one of them is exhausted, to neither.
     */
    admitKey: (key: ApiKey) => charge(key, 1),
    /** Refunds what an admission charged, unless its month is over. Never throws. */
    async refundKey({ meterId, perMinute }: ApiKey, { month, localCharge }: MeterReading) {
      const charge = { meterId, month, perMinute, written: usage.refund(meterId, month) };
      if (outage.isOn) {
        recovery.owe(charge, localCharge);
        return local.refund(meterId, month);
      }
      await withDeadline(recovery.refund(charge), LONGEST_REFUND_MS).catch(() => {});
    },
    /** The key's current reading. Charges nothing. */
    usage: (key: ApiKey): Promise<MeterReading> => charge(key, 0),
    /** Who decides now, and how many outages of Redis there have been. */
    state: () => ({ isLocal: outage.isOn, outages: outage.count }),
    /** How many requests each limit has refused in this process. */
    refusals: () => refusals,
    stop: () => outage.stop(),
  };
}

/** How long a caller who gets a 5xx waits for its refund, which then continues in the background. */
const LONGEST_REFUND_MS = 500;
