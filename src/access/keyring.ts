import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { batched } from "../store/batches.ts";
import { withDeadline } from "../store/deadline.ts";
import { listenTo, type Sql } from "../store/postgres.ts";
import { repeat } from "../store/repeat.ts";
import { hashKey, isWellFormedKey } from "./key-format.ts";
import { type ApiKey, findKeysByHash, keyState, keysVersion, type PresentedKey } from "./keys.ts";

/** What a presented key resolves to at this moment. */
export type Resolved =
  | { ok: true; key: ApiKey }
  | { ok: false; denied: "invalid" | "revoked" | "expired" };

export type Keyring = Awaited<ReturnType<typeof createKeyring>>;

/**
 * Resolves presented keys, and caches what it found, unknown keys too, until something changes. Changes are
 * announced; a version number is also polled several times a second, so that a revocation holds within one
 * second even if its announcement is lost. While the number cannot be read, findings expire in less than a
 * second. Concurrent look-ups of a key share one query.
 *
 * Keys expire by PostgreSQL's clock, which also begins grace periods: so all servers refuse a key at the same time,
 * whatever their own clocks say.
 * @param options.now milliseconds since 1970, for the expiry of keys; set by tests
 * @param options.elapsed milliseconds of a monotonic clock, for the age of findings; set by tests
 * @param options.mostKeys how many it caches; fewer in tests
 * @throws the error of PostgreSQL when it cannot be queried
 */
export async function createKeyring(
  sql: Sql,
  {
    now,
    elapsed = () => performance.now(),
    mostKeys = MOST_KEYS,
  }: { now?: () => number; elapsed?: () => number; mostKeys?: number } = {},
) {
  const findings = new LRUCache<string, Finding>({ max: mostKeys });
  /** For keys that do not exist, or are still being looked up: made-up keys must not evict real ones. */
  const unproven = new LRUCache<string, Finding>({ max: MOST_UNPROVEN });
  const forget = () => {
    findings.clear();
    unproven.clear();
  };
  // `forget` also after each reconnection: announcements made meanwhile were missed.
  const stopListening = await listenTo(sql, "keys_changed", forget, forget);

  /** When the version was last queried: all older findings that are still cached were valid then. */
  let confirmedAt = elapsed();
  let { version, time } = await keysVersion(sql);
  /** When that time was told: not when it was asked for, since the query may have had to wait. */
  let toldAt = elapsed();
  const stopPolling = repeat(POLL_INTERVAL_MS, async () => {
    const askedAt = elapsed();
    const current = await keysVersion(sql);
    if (current.version !== version) forget();
    ({ version, time } = current);
    toldAt = elapsed();
    confirmedAt = askedAt;
  });

  // After a change to one key, all keys are looked up again at once. And while the database is down, look-ups
  // of made-up keys would otherwise stay queued in the driver, long after their callers have left; here they
  // are dropped then.
  const lookUp = batched((hashes: Buffer[]) => findKeysByHash(sql, hashes), {
    batchSize: LOOK_UP_BATCH_SIZE,
    concurrency: CONCURRENT_LOOK_UPS,
    deadlineOf: () => performance.now() + LONGEST_LOOK_UP_MS,
  });

  function find(presented: string): Found | Promise<Found> {
    const name = hash("sha256", presented, "base64");
    const known = findings.get(name) ?? unproven.get(name);
    if (known && elapsed() - Math.max(known.askedAt, confirmedAt) < LONGEST_AGE_MS) {
      return known.found;
    }
    if (!isWellFormedKey(presented)) return null;

    const asked = withDeadline(lookUp(hashKey(presented)), LONGEST_LOOK_UP_MS);
    const finding: Finding = { askedAt: elapsed(), found: asked };
    findings.delete(name);
    unproven.set(name, finding);
    asked.then(
      (record) => {
        finding.found = record;
        // A finding that is not there any more was invalidated meanwhile, and may be stale.
        if (!record || unproven.peek(name) !== finding) return;
        unproven.delete(name);
        findings.set(name, finding);
      },
      () => {
        // This may delete a newer finding, begun after this one was invalidated. That only costs another
        // query.
        unproven.delete(name);
      },
    );
    return asked;
  }

  function judge(record: Found): Resolved {
    if (!record) return { ok: false, denied: "invalid" };
    const state = keyState(record, now ? now() : time + elapsed() - toldAt);
    return state === "active" ? { ok: true, key: record } : { ok: false, denied: state };
  }

  return {
    /** Synchronous when cached. Rejects when the database has to be queried and is down or does not answer. */
    resolve(presented: string): Resolved | Promise<Resolved> {
      const found = find(presented);
      return found instanceof Promise ? found.then(judge) : judge(found);
    },
    /** Whether it has been unable to check for changes for seconds, so that each key is looked up anew. */
    isFailing: () => elapsed() - confirmedAt > LONGEST_SILENCE_MS,
    async stop() {
      await stopPolling();
      await stopListening();
    },
  };
}

/** Stored under the hash of the key, so that memory holds no key for longer than a request. */
interface Finding {
  /** When the database was queried, not when it answered: its answer is no older than that. */
  askedAt: number;
  found: Found | Promise<Found>;
}

type Found = PresentedKey | null;

const POLL_INTERVAL_MS = 250;
const LONGEST_AGE_MS = 900;
const LONGEST_SILENCE_MS = 5_000;
const MOST_KEYS = 50_000;
const MOST_UNPROVEN = 5_000;
const LONGEST_LOOK_UP_MS = 2_000;
const LOOK_UP_BATCH_SIZE = 256;
/** Each holds a connection; the others are kept for what known keys depend on. */
const CONCURRENT_LOOK_UPS = 1;
