import { withDeadline } from "../store/deadline.ts";
import type { RedisClient } from "../store/redis.ts";
import { AdmissionUnavailable, type Decision, type MeterReading, SECOND } from "./decisions.ts";
import type { ApiKey } from "./keys.ts";
import { createLastSeen } from "./last-seen.ts";
import { createLocalLimiter } from "./local.ts";
import { createMeters } from "./meters.ts";
import { watchOutages } from "./outage.ts";
import { createRecovery } from "./recovery.ts";
import { createSeeding } from "./seeding.ts";
import type { DurableUsage } from "./usage.ts";

/**
 * Decides which requests are let in: by scripts in Redis, or, while Redis is away or slow, by the
 * same rules in this process. What is charged is counted in PostgreSQL either way; a meter that
 * Redis does not know starts from that count. Throws AdmissionUnavailable only when the count cannot
 * be read.
 */
export interface Admission {
  /** Open access: at most 60 requests in any 60 seconds. A refusal is not counted. */
  admitClient(client: string): ClientAdmission | Promise<ClientAdmission>;
  /** Keyed access: charges one request to bucket and quota, or, when one of them is empty, nothing. */
  admitKey(key: ApiKey): Promise<Decision>;
  /** Gives back what an admission charged; nothing once its month is over. Never throws. */
  refundKey(key: ApiKey, admission: MeterReading): Promise<void>;
  /** How the key stands now. Charges nothing. */
  usage(key: ApiKey): Promise<MeterReading>;
  /** Who decides now, and how often Redis has gone away. */
  state(): { isLocal: boolean; outages: number };
  stop(): void;
}

type ClientAdmission = { admitted: true } | { admitted: false; retryAfterSeconds: number };

export interface AdmissionOptions {
  /** Flushed when something depends on it; the caller has to flush it regularly. */
  usage: DurableUsage;
  /** Processes that share the limits while Redis is away: those of all servers. */
  instances?: number;
  /** Called when Redis goes away, with the cause, and when it is back. */
  onChange?: (isLocal: boolean, cause?: unknown) => void;
  /** Microseconds since 1970, for tests; otherwise Redis's own clock decides. */
  clock?: () => number;
  /** How long Redis may take before this process decides; longer in tests. */
  deadlineMs?: number;
}

/** Redis decides from the start; if it is not connected by then, the first decision begins an outage. */
export function createAdmission(
  redis: RedisClient,
  { usage, instances = 1, onChange = () => {}, clock, deadlineMs }: AdmissionOptions,
): Admission {
  const meters = createMeters(redis, { clock, deadlineMs });
  const local = createLocalLimiter({ instances, now: clock });
  const lastSeen = createLastSeen();
  const seed = createSeeding({ meters, local, usage, lastSeen });
  const recovery = createRecovery({ meters, local, usage });
  /**
   * The outage in which this process made a decision by itself. Of one made in the present outage Redis
   * knows nothing, so it has nothing to give back either.
   */
  const chargedIn = new WeakMap<MeterReading, number>();

  const outage = watchOutages(redis, {
    onBegin(cause) {
      // Now, and not when the last outage ended: a charge that was still being looked up then has seeded a
      // meter since, which knows nothing of what Redis has charged.
      local.forgetMeters();
      onChange(true, cause);
      // If Redis comes back empty, the other servers begin their meters from this. A failure needs no word
      // here: the regular flush will fail as well, and logs it.
      usage.flush().catch(() => {});
    },
    recover: recovery.run,
    onEnd: () => onChange(false),
  });

  // Redis may come back with less than it knew: restored from an old file, or from a replica.
  usage.onWritten((month, totals) => {
    if (outage.isOn) return;
    for (const { meterId, used } of totals) {
      const seen = lastSeen.sighting(meterId);
      if (seen?.month !== month || seen.used >= used) continue;
      const { perMinute } = seen;
      meters
        .seed({ meterId, month, used, perMinute })
        .catch((error) => outage.begin(error, meterId));
    }
  });

  async function charge(key: ApiKey, cost: 0 | 1): Promise<Decision> {
    if (outage.isOn) return await chargeLocally(key, cost);
    try {
      for (;;) {
        const decision = await meters.charge(key, cost);
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
      if (decision) {
        chargedIn.set(decision, outage.count);
        return counted(key, cost, decision);
      }
      await seed.locally(key, local.month(key.meterId));
    }
  }

  /** Counts a charge before anything else can run: whoever reads the count next has to find it there. */
  function counted({ meterId }: ApiKey, cost: 0 | 1, decision: Decision): Decision {
    if (decision.admitted) usage.count(meterId, decision.month, cost);
    return decision;
  }

  return {
    admitClient(client) {
      if (outage.isOn) return toClientAdmission(local.admitClient(client));
      return meters.admitClient(client).then(toClientAdmission, (error) => {
        outage.begin(error, client);
        return toClientAdmission(local.admitClient(client));
      });
    },
    admitKey: (key) => charge(key, 1),
    async refundKey({ meterId, perMinute }, admission) {
      const { month } = admission;
      const charge = { meterId, month, perMinute };
      const given = usage.giveBack(meterId, month);
      if (outage.isOn) {
        if (chargedIn.get(admission) !== outage.count) recovery.owe(charge);
        return local.refund(meterId, month);
      }
      // PostgreSQL first. A server that finds more there than in Redis takes it that Redis has forgotten
      // charges, and has it count them again: what was only given back in Redis would be undone.
      const refunded = given
        .then(() => recovery.refund(charge))
        .catch((error) => outage.begin(error, meterId));
      await withDeadline(refunded, LONGEST_REFUND_MS).catch(() => {});
    },
    usage: (key) => charge(key, 0),
    state: () => ({ isLocal: outage.isOn, outages: outage.count }),
    stop: () => outage.stop(),
  };
}

/** A caller who gets a 5xx waits no longer than this for its refund, which goes on without it. */
const LONGEST_REFUND_MS = 500;

function toClientAdmission(waitMicroseconds: number): ClientAdmission {
  if (waitMicroseconds === 0) return ADMITTED;
  return { admitted: false, retryAfterSeconds: Math.ceil(waitMicroseconds / SECOND) };
}

const ADMITTED = { admitted: true } as const;
