import type { Logger } from "pino";
import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { listenTo, type Sql } from "../store/postgres.ts";
import { repeat } from "../store/repeat.ts";

/** What a committed statement did to a business that is, or was, listed. */
export interface Change {
  transaction: number;
  slug: string;
  /** The place of the business in lists before the statement; null when it was in none. */
  before: Place | null;
  /** Its place in lists after the statement; null when it is in none. */
  after: Place | null;
}

/** The lists that hold a business, and its position in them. */
export interface Place {
  /** The category of the business and all above it. */
  categories: readonly number[];
  city: number;
  key: ListKey;
}

/** The order of every list: by rank, then by id. */
export interface ListKey {
  rank: number;
  id: string;
}

/**
 * Follows changes to the directory (see sql/008_announcements.sql, and sql/010 for what has been added).
 * Announcements arrive in commit order. To know that none was lost, this sends announcements to itself: when
 * one comes back, all that were committed before it have arrived, and are reported together. So a
 * transaction, which may have many announcements, is never reported in part: a list would have a total that
 * never existed.
 * @param tell called with what changed; "everything" when that is unknown
 * @throws Error when announcements are accepted but not delivered, as by a pooler in transaction mode
 */
export async function followAnnouncements(
  sql: Sql,
  log: Logger,
  tell: (changes: readonly Change[] | "everything") => void,
) {
  const self = crypto.randomUUID();
  let gathered: Change[] | "everything" = [];
  /** All that was committed before this has been received and reported. */
  let reportedAt = Number.NEGATIVE_INFINITY;
  const beganAt = performance.now();
  let wereMissing = false;
  const confirmed = Promise.withResolvers<void>();

  function hear(payload: string) {
    if (!payload.startsWith(CONFIRMATION)) return gather(readChanges(payload));
    const [, sender, sentAt] = payload.split(" ");
    if (sender !== self) return;
    if (gathered.length > 0) tell(gathered);
    gathered = [];
    reportedAt = Number(sentAt);
    confirmed.resolve();
  }

  function gather(changes: readonly Change[] | "everything") {
    if (gathered === "everything") return;
    if (changes === "everything" || gathered.length > MOST_GATHERED) gathered = "everything";
    else gathered.push(...changes);
  }

  /**
   * Reports at once that anything may have changed. The next announcement may be a confirmation, after which
   * all that was committed before it counts as reported, including what was missed.
   */
  function forget() {
    gathered = [];
    tell("everything");
  }

  // `forget` is called now and after each reconnection, since nothing that was announced meanwhile arrives.
  const stopListening = await listenTo(sql, CHANNEL, hear, forget);
  const confirm = () => sql.notify(CHANNEL, `${CONFIRMATION} ${self} ${performance.now()}`);
  const areMissing = () => performance.now() - Math.max(reportedAt, beganAt) > LONGEST_SILENCE_MS;
  const stopConfirming = repeat(CONFIRM_INTERVAL_MS, confirm);
  // Not part of `confirm`, which is held up by a connection that hangs.
  const watch = setInterval(() => {
    if (areMissing() === wereMissing) return;
    wereMissing = !wereMissing;
    if (wereMissing) log.error("announcements of changes do not arrive: the cache is not used");
    else log.info("announcements of changes arrive again");
  }, CONFIRM_INTERVAL_MS);
  async function stop() {
    clearInterval(watch);
    await stopConfirming();
    await stopListening();
  }

  try {
    await confirm();
    // If the first confirmation does not come back, none will. A server that started anyway could never
    // answer from its cache.
    await withDeadline(confirmed.promise, LONGEST_CONFIRMATION_MS);
  } catch (error) {
    await stop().catch(() => {});
    if (!(error instanceof DeadlineError)) throw error;
    throw new Error(
      "notifications (LISTEN) do not arrive. Behind a pooler in transaction mode they never do: " +
        "give the address of PostgreSQL itself, or use session pooling",
      { cause: error },
    );
  }
  return {
    /**
     * Whether everything that was committed up to a moment ago (CERTAIN_FOR_MS) has been reported. False while
     * announcements do not arrive.
     */
    areCurrent: () => performance.now() - reportedAt < CERTAIN_FOR_MS,
    /** Whether no announcement has arrived for longer than a busy moment can explain. */
    areMissing,
    stop,
  };
}

const CHANNEL = "directory_pages";
const CONFIRMATION = "confirm";

// Cached pages show all that was committed longer ago than this, so that a change shows within a second.
const CERTAIN_FOR_MS = 900;
// Much less than CERTAIN_FOR_MS: otherwise areCurrent() would often be false, and the cache would be
// bypassed.
const CONFIRM_INTERVAL_MS = 200;
/**
 * While changes arrive without confirmations, nothing is served from the cache: not all of them are worth
 * keeping.
 */
const MOST_GATHERED = 10_000;
const LONGEST_SILENCE_MS = 5_000;
/** Milliseconds until the first one; a busy PostgreSQL takes a fraction of that. */
const LONGEST_CONFIRMATION_MS = 5_000;

type PlaceData = [city: number, rank: number, ...categories: number[]];
type ChangeData = [
  slug: string,
  id: string,
  before: PlaceData | null,
  after: PlaceData | null,
  transaction: number,
];

/**
 * `*` means that too much has changed to be listed. Whatever else cannot be read is taken to mean the same:
 * if it were ignored, stale pages would stay in the cache.
 */
function readChanges(payload: string): Change[] | "everything" {
  try {
    return (JSON.parse(payload) as ChangeData[]).map(([slug, id, before, after, transaction]) => ({
      transaction,
      slug,
      before: before && readPlace(id, before),
      after: after && readPlace(id, after),
    }));
  } catch {
    return "everything";
  }
}

const readPlace = (id: string, [city, rank, ...categories]: PlaceData): Place => ({
  categories,
  city,
  key: { rank, id },
});
