import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { listenTo, type Sql } from "../store/postgres.ts";
import type { Upkeep } from "../store/upkeep.ts";
import type { SearchStore } from "./settings.ts";
import { type SyncResult, syncSearch } from "./sync.ts";

/**
 * Keeps the index current until it is stopped. Each commit that touches the directory wakes it, and so
 * does each new connection to PostgreSQL, since commits may have gone unheard before it; a slow poll is
 * the safety net. While a store is away this keeps retrying. Logs when it begins and when it stops
 * failing, and each new index.
 *
 * The first of many commits is brought in at once, the others together, at intervals that leave
 * Meilisearch most of its time. Changes have to wait while the index is tidied up. So that is done when
 * nothing happens, and only now and then when something always does.
 *
 * An index of another version is replaced at the start. If there is one again later, servers of that
 * version are running, too, and it is left to them for as long as they bring changes into it.
 * @param options.listener hears of commits. Its connections must not be cut for being silent, unless
 *   something else is always heard on the one that listens
 */
export async function startSearchSync({
  listener,
  log,
  pollIntervalMs = POLL_INTERVAL_MS,
  ...store
}: SearchStore & { listener: Sql; log: Logger; pollIntervalMs?: number }): Promise<Upkeep> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  /**
   * Leaves an index of another version to its servers. Otherwise two versions that need different indexes would
   * rebuild in turns while both run.
   */
  let leavesOthers = false;
  /** The first change that an index of another version lacks, and for how many polls it has lacked it. */
  let lacking: { change: string | null; polls: number } = NOTHING_LACKING;
  /** Aborted by whatever is committed after a run has begun. */
  let change = new AbortController();
  const onChange = () => change.abort();
  // Where there was no index, searches are answered with 503 until the new one is there.
  const onBuild = (businesses: number) => log.info({ businesses }, "building a new search index");
  const stopListening = await listenTo(listener, "directory_changed", onChange, onChange);
  const running = run();

  return {
    isFailing: () => failures > 0,
    async stop() {
      stopping.abort();
      // Changes that a hung Meilisearch holds up stay recorded; it must not hold up the shutdown.
      await Promise.race([running, sleep(STOP_MS, undefined, { ref: false })]);
      await stopListening();
    },
  };

  async function run(): Promise<void> {
    let tidiedAt = performance.now();
    let isQuiet = false;
    while (!signal.aborted) {
      change = new AbortController();
      const began = performance.now();
      const tidy =
        began - tidiedAt >= pollIntervalMs * (isQuiet ? POLLS_UNTIDY : MOST_POLLS_UNTIDY);
      // Noted before it is tried: if tidying always failed, every run would try it again, and fail.
      if (tidy) tidiedAt = began;
      isQuiet = false;
      try {
        const result = await syncSearch(store, { tidy, leavesOthers, signal, onBuild });
        if (failures > 0) log.info("the search index is kept current again");
        failures = 0;
        isQuiet = await untilDue(result, began);
      } catch (error) {
        if (signal.aborted) return;
        // Counts anew: while a store is away no server can bring in changes, so none has abandoned the index.
        lacking = NOTHING_LACKING;
        if (failures === 0) {
          log.error({ err: error }, "the search index falls behind; trying until it works again");
        }
        await rest(Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS));
      }
    }
  }

  /**
   * Takes note of what a run has come to, and waits until the next one is due.
   * @param began when the run did, on the clock of `performance`
   * @returns whether nothing has changed meanwhile
   */
  async function untilDue(result: SyncResult, began: number): Promise<boolean> {
    const took = performance.now() - began;
    if (result.state === "busy") {
      await rest(BUSY_MS);
      return false;
    }
    if (result.state === "left") {
      const isSame = result.lacks !== null && result.lacks === lacking.change;
      lacking = { change: result.lacks, polls: isSame ? lacking.polls + 1 : 0 };
      leavesOthers = lacking.polls < POLLS_ABANDONED;
      if (leavesOthers) await rest(pollIntervalMs);
      else log.warn("the search index is of another version that has no servers: building ours");
      return false;
    }
    if (result.rebuilt) log.info("built a new search index");
    leavesOthers = true;
    await rest(pollIntervalMs, AbortSignal.any([signal, change.signal]));
    const isQuiet = !change.signal.aborted;
    const interval = Math.min(took * INTERVAL_RUNS, LONGEST_INTERVAL_MS);
    await rest(Math.max(0, began + interval - performance.now()));
    return isQuiet;
  }

  /** Waits, but not when this is aborted: by default only at the end, so changes do not shorten it. */
  function rest(ms: number, until = signal): Promise<void> {
    return sleep(ms, undefined, { signal: until }).catch(() => {});
  }
}

const STOP_MS = 1_000;
const POLL_INTERVAL_MS = 10_000;
/** Polls from one tidying to the next: when nothing happens, and when changes never stop. */
const POLLS_UNTIDY = 6;
const MOST_POLLS_UNTIDY = 60;
/** An index that lacks the same change for so many polls is taken for one that no server keeps current. */
const POLLS_ABANDONED = 3;
const NOTHING_LACKING = { change: null, polls: 0 };
const BUSY_MS = 300;
/**
 * From the start of one run to the start of the next, as a multiple of how long the run took. A run costs
 * Meilisearch almost the same for one change as for many, so few runs with many changes are cheaper. The
 * interval is capped: a change should be found within five seconds, and the run itself may need three.
 */
const INTERVAL_RUNS = 5;
const LONGEST_INTERVAL_MS = 2_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 4_000;
