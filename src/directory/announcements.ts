import { DeadlineError, withDeadline } from "../store/deadline.ts";
import { listenTo, type Sql } from "../store/postgres.ts";
import { repeat } from "../store/repeat.ts";

/** What a committed statement did to a business that is, or was, listed. */
export interface Change {
  /** The id of the transaction. */
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

interface Announcements {
  /**
   * Whether everything that was committed up to a moment ago (CERTAIN_FOR_MS) has been told. False
   * while announcements do not arrive.
   */
  areCurrent(): boolean;
  /** Whether no announcement has arrived for so many seconds that a busy moment does not explain it. */
  areMissing(): boolean;
  stop(): Promise<void>;
}

/**
 * Follows what changes in the directory (see sql/008_announcements.sql, and sql/010 for what has
 * been added). Announcements come in the order of their commits. To know that none was lost, this sends
 * announcements to itself: when one comes back, all that were committed before it have come, and are told
 * together. So it never tells a part of a transaction, of which there may be many announcements: the total of
 * a list would be one that never was.
 * @param tell gets what changed; "everything" when that is not known
 * @param onMissing called when announcements begin to be missing, and when they arrive again
 * @throws Error when announcements are taken and not delivered, as by a pooler in transaction mode
 */
export async function followAnnouncements(
  sql: Sql,
  tell: (changes: readonly Change[] | "everything") => void,
  onMissing: (areMissing: boolean) => void = () => {},
): Promise<Announcements> {
  const self = crypto.randomUUID();
  let gathered: Change[] | "everything" = [];
  /** All that was committed before this has been heard and told. */
  let toldAt = Number.NEGATIVE_INFINITY;
  const beganAt = performance.now();
  let wereMissing = false;
  const confirmed = Promise.withResolvers<void>();

  function hear(payload: string) {
    if (!payload.startsWith(CONFIRMATION)) return gather(readChanges(payload));
    const [, sender, sentAt] = payload.split(" ");
    if (sender !== self) return;
    if (gathered.length > 0) tell(gathered);
    gathered = [];
    toldAt = Number(sentAt);
    confirmed.resolve();
  }

  function gather(changes: readonly Change[] | "everything") {
    if (gathered === "everything") return;
    if (changes === "everything" || gathered.length > MOST_GATHERED) gathered = "everything";
    else gathered.push(...changes);
  }

  /**
   * Tells at once that anything may have changed. The next announcement may be a confirmation, after which
   * all that was committed before it counts as told, also what has been missed.
   */
  function forget() {
    gathered = [];
    tell("everything");
  }

  // `forget` is called now and after each reconnection, since nothing that was announced meanwhile arrives.
  const stopListening = await listenTo(sql, CHANNEL, hear, forget);
  const confirm = () => sql.notify(CHANNEL, `${CONFIRMATION} ${self} ${performance.now()}`);
  const areMissing = () => performance.now() - Math.max(toldAt, beganAt) > LONGEST_SILENCE_MS;
  const stopConfirming = repeat(CONFIRM_INTERVAL_MS, confirm);
  // Not done by what confirms, since a connection that hangs holds that up.
  const watch = setInterval(() => {
    if (areMissing() === wereMissing) return;
    wereMissing = !wereMissing;
    onMissing(wereMissing);
  }, CONFIRM_INTERVAL_MS);
  async function stop() {
    clearInterval(watch);
    await stopConfirming();
    await stopListening();
  }

  try {
    await confirm();
    // If the first confirmation does not come back, none will. A server that started all the same could
    // never answer from its cache.
    await withDeadline(confirmed.promise, LONGEST_CONFIRMATION_MS);
  } catch (error) {
    await stop().catch(() => {});
    if (!(error instanceof DeadlineError)) throw error;
    throw new Error(
      "what it announces (LISTEN) does not arrive. Behind a pooler in transaction mode it never does: " +
        "give the address of PostgreSQL itself, or pool by session",
      { cause: error },
    );
  }
  return { areCurrent: () => performance.now() - toldAt < CERTAIN_FOR_MS, areMissing, stop };
}

const CHANNEL = "directory_pages";
const CONFIRMATION = "confirm";

// Cached pages show all that was committed longer ago than this, so that a change shows within a second.
const CERTAIN_FOR_MS = 900;
// Much less than CERTAIN_FOR_MS: otherwise areCurrent() would often be false, and each answer would be made
// anew.
const CONFIRM_INTERVAL_MS = 200;
/** While confirmations do not arrive, and changes do, nothing is found: not all of these are worth keeping. */
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
 * `*` says that too much has changed to be told one by one. Whatever else cannot be read is taken to say the
 * same: if it were passed over, pages that are no longer true would stay in the cache.
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
