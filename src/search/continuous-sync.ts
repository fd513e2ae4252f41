import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { listenTo, type Sql } from "../store/postgres.ts";
import type { Upkeep } from "../store/upkeep.ts";
import type { SearchStore } from "./settings.ts";
import { type SyncResult, syncSearch } from "./sync.ts";

/**
 * Keeps the index current until it is stopped. Each commit that touches the directory wakes it, and so does each
 * new connection to PostgreSQL, since commits before it may have gone unheard; a slow poll is the safety net.
 * While a store is down, it keeps retrying. It logs when it starts and stops failing, and each new index.
 *
 * The first of many commits is applied at once, the others together, at intervals that leave Meilisearch most
 * of its time. Changes have to wait while the index is tidied. So that is done when nothing happens, and only
 * now and then when something always does.
 *
 * An index of another version is replaced at the start. If one appears later, servers of that version are
 * running, too, and it is left to them for as long as they apply changes to it.
 * @param options.listener hears of commits. Its connections must not be cut for being idle, unless something
 *   else is always heard on the one that listens
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
   * Whether an index of another version is left to its servers. Otherwise two versions that need different
   * indexes would take turns rebuilding while both run.
   */
  let leavesOthers = false;
  /** The first change that an index of another version lacks, and the number of polls it has lacked it for. */
  let lacking: { change: string | null; polls: number } = NOTHING_LACKING;
  /** Aborted by the first commit after the start of a run. */
  let change = new AbortController();
  const onChange = () => change.abort();
  // If there was no index, searches are answered with 503 until the new one is ready.
  const onBuild = (businesses: number) => log.info({ businesses }, "building a new search index");
  const stopListening = await listenTo(listener, "directory_changed", onChange, onChange);
  const running = run();

  return {
    isFailing: () => failures > 0,
    async stop() {
      stopping.abort();
      // A hung Meilisearch must not hold up the shutdown. The changes that it holds up stay recorded.
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
      // Noted before the attempt: otherwise, if tidying always failed, every run would try it again, and fail.
      if (tidy) tidiedAt = began;
      isQuiet = false;
      try {
        const result = await syncSearch(store, { tidy, leavesOthers, signal, onBuild });
        // That another server is at it does not say that it succeeds.
        if (result.state !== "busy") {
          if (failures > 0) log.info("the search index is kept current again");
          failures = 0;
        }
        isQuiet = await untilDue(result, began);
      } catch (error) {
        if (signal.aborted) return;
        // Counting starts again: while a store is down no server can apply changes, so none has abandoned the index.
        lacking = NOTHING_LACKING;
        if (failures === 0) {
          log.error({ err: error }, "the search index falls behind; trying until it works again");
        }
        await rest(Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS));
      }
    }
  }

  /**
   * Takes note of the result of a run, and waits until the next one is due.
   * @param began when the run started, on the clock of `performance`
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

  /** Waits, but no longer than until the signal is aborted. By default, `stop` aborts it, and changes do not. */
  function rest(ms: number, until = signal): Promise<void> {
    return sleep(ms, undefined, { signal: until }).catch(() => {});
  }
}

const STOP_MS = 1_000;
const POLL_INTERVAL_MS = 10_000;
/** Polls between two tidyings: when nothing happens, and when changes never stop. */
const POLLS_UNTIDY = 6;
const MOST_POLLS_UNTIDY = 60;
/** After lacking the same change for as many polls as this, an index is considered abandoned by its servers. */
const POLLS_ABANDONED = 3;
const NOTHING_LACKING = { change: null, polls: 0 };
const BUSY_MS = 300;
/**
 * The time from the start of one run to the start of the next, as a multiple of the duration of the run. A run
 * costs Meilisearch almost the same for one change as for many, so few runs with many changes are cheaper. The
 * interval is capped, since a change should be found within five seconds and the run itself may need three.
 */
const INTERVAL_RUNS = 5;
const LONGEST_INTERVAL_MS = 2_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 4_000;
