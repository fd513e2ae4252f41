import { describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { startSearchSync } from "../../src/search/continuous-sync.ts";
import { withSyncLock } from "../../src/search/lock.ts";
import { indexSettings } from "../../src/search/settings.ts";
import { openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { logInto, silent } from "../support.ts";
import { openEmptyDirectory } from "./empty-directory.ts";
import { proxyMeilisearch } from "./proxy.ts";

const directory = await openEmptyDirectory();
const { url, sql, where, index, nextIndex, sync, total, indexed, exists } = directory;
const { setStatus, pendingChanges } = directory;

const startSync = (options: Partial<Parameters<typeof startSearchSync>[0]> = {}) =>
  startSearchSync({ ...where(), listener: sql, log: silent, ...options });

/** What users are promised. */
const FOUND_WITHIN_MS = 5_000;

/** What the index of a server of another version shows. */
const OTHER_VERSION = ["id", "version-other"];
const showOtherVersion = () => index().updateDisplayedAttributes(OTHER_VERSION).waitTask();
const shown = () => index().getDisplayedAttributes();

describe("the running sync", () => {
  test("follows each commit within seconds", async () => {
    const running = await startSync();
    await until(() => exists(index()), 10_000);
    const { slug } = await addBusiness(sql, { name: "Swift" });
    await until(async () => (await total("swift")) === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => (await indexed()).length === 0, FOUND_WITHIN_MS);
    await addBusiness(sql, { name: "Slow" });
    await until(async () => (await total("slow")) === 1, FOUND_WITHIN_MS);
    await sql`update categories set name = 'Zinkworkers' where slug = 'plumbers'`;
    await until(async () => (await total("zinkworker")) === 1, FOUND_WITHIN_MS);
    await sql`update cities set name = 'Xanadu' where slug = 'leeds'`;
    await until(async () => (await total("xanadu")) === 1, FOUND_WITHIN_MS);
    // It is only marked, since deleting it takes longer and can wait.
    expect(await indexed({ marked: true })).toHaveLength(2);
    await running.stop();
  });

  test("applies changes together that are committed one after another", async () => {
    const { slug } = await addBusiness(sql);
    await sync();
    await using slow = slowMeilisearch(200);
    const running = await startSync({ meili: slow.meili });
    // A run takes a fifth of a second, so the next one begins a second later at the soonest.
    const began = performance.now();
    while (performance.now() - began < 1_500 || slow.runs() === 0) {
      await sql`update businesses set review_count = review_count + 1 where slug = ${slug}`;
    }
    const seconds = (performance.now() - began) / 1_000;
    expect(slow.runs()).toBeLessThanOrEqual(1 + Math.ceil(seconds));
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await running.stop();
  });

  test("makes a change that just missed a long run searchable in time with the next one", async () => {
    const { slug } = await addBusiness(sql);
    await sync();
    await using slow = slowMeilisearch(1_200);
    const running = await startSync({ meili: slow.meili });
    await setStatus(slug, "suspended");
    await until(() => slow.runs() === 1, FOUND_WITHIN_MS);
    await addBusiness(sql, { name: "Latecomer" });
    await until(async () => (await total("latecomer")) === 1, FOUND_WITHIN_MS);
    await running.stop();
  });

  test("tidies up when nothing has happened for a while, and not with each run", async () => {
    // Were a change taken for ever more of them, it would take ten times as long.
    const pollIntervalMs = 200;
    let tidied = 0;
    await using counting = proxyMeilisearch(({ method, pathname }, forward) => {
      // It looks for what a rebuild has left.
      if (method === "GET" && pathname.endsWith(`/${nextIndex().uid}`)) tidied++;
      return forward();
    });
    const began = performance.now();
    const running = await startSync({ meili: counting.meili, pollIntervalMs });
    await until(() => exists(index()), 10_000);
    const { slug } = await addBusiness(sql, { name: "Swift" });
    await until(async () => (await indexed({ marked: true })).length === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => (await indexed({ marked: true })).length === 0, FOUND_WITHIN_MS);
    await until(() => tidied >= 2, FOUND_WITHIN_MS);
    expect(performance.now() - began).toBeGreaterThanOrEqual(2 * 6 * pollIntervalMs);
    await running.stop();
  });

  test("tidies up now and then also when changes never stop", async () => {
    const running = await startSync({ pollIntervalMs: 40 });
    await until(() => exists(index()), 10_000);
    const { slug } = await addBusiness(sql, { name: "Swift" });
    await until(async () => (await indexed()).length === 1, FOUND_WITHIN_MS);
    await setStatus(slug, "suspended");
    await until(async () => {
      await sql`notify directory_changed`;
      return (await indexed({ marked: true })).length === 0;
    }, 6_000);
    await running.stop();
  });

  test("catches up when Meilisearch comes back, and logs only the changes of state and a new index", async () => {
    let isAway = true;
    await using proxy = proxyMeilisearch((_request, forward) =>
      isAway ? new Response("{}", { status: 503 }) : forward(),
    );
    const lines: string[] = [];
    const log = logInto(lines, "msg");
    await addBusiness(sql, { name: "Returner" });
    const running = await startSync({ meili: proxy.meili, log });
    await until(() => lines.length > 0, 5_000);
    isAway = false;
    await until(() => lines.length > 3, 5_000);
    expect(await total("returner")).toBe(1);
    expect(lines).toEqual([
      "the search index falls behind; trying until it works again",
      "building a new search index",
      "the search index is kept current again",
      "built a new search index",
    ]);
    await addBusiness(sql, { name: "Latecomer" });
    await until(async () => (await total("latecomer")) === 1, FOUND_WITHIN_MS);
    expect(lines).toHaveLength(4);
    await running.stop();
  });

  test("does not take the attempt of another server for a success", async () => {
    let requests = 0;
    await using proxy = proxyMeilisearch(() => {
      requests += 1;
      return new Response("{}", { status: 503 });
    });
    const lines: string[] = [];
    const running = await startSync({ meili: proxy.meili, log: logInto(lines, "msg") });
    await until(() => lines.length > 0, 5_000);
    await withSyncLock(sql, new AbortController().signal, async () => {
      const before = await countSessions();
      // Each attempt is a session of its own.
      await until(async () => (await countSessions()) > before + 2, 20_000);
    });
    expect(running.isFailing()).toBe(true);
    const before = requests;
    await until(() => requests > before, 10_000);
    expect(lines).toEqual(["the search index falls behind; trying until it works again"]);
    await running.stop();
  });

  test("continues after PostgreSQL has cut all connections", async () => {
    const running = await startSync();
    await until(() => exists(index()), 10_000);
    const watcher = openPostgres(url, { max: 1 });
    await watcher`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await addBusiness(watcher, { name: "Survivor" });
    // The connections of this test were cut as well, and a busy machine notices late.
    await until(async () => (await total("survivor").catch(() => 0)) === 1, 5_000);
    await watcher.end();
    await running.stop();
  });

  test("two servers share the work without losing a change", async () => {
    const running = await Promise.all([startSync(), startSync()]);
    await until(() => exists(index()), 10_000);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => addBusiness(sql, { name: `Twenty ${n}` })),
    );
    await until(async () => (await total("twenty")) === 20, 5_000);
    await until(async () => (await pendingChanges()) === 0, 5_000);
    await Promise.all(running.map((one) => one.stop()));
  });

  test("leaves an index of another version to servers that apply changes to it, and builds its own when none does", async () => {
    const { id } = await addBusiness(sql, { name: "First" });
    await sync();
    await using watched = watchedMeilisearch();
    // Long beside a round, so that no round holds the same change for three polls.
    const running = await startSync({ meili: watched.meili, pollIntervalMs: 200 });
    // It has looked once, and not built the index itself, after which it would rest for longer.
    await copyBusiness(sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await showOtherVersion();
    const before = watched.looks();
    for (let round = 0; watched.looks() < before + 7; round++) {
      await copyBusiness(sql, id, `round-${round}`);
      // It always lacks a change, though never one for long.
      await sql`delete from search_changes where id < (select max(id) from search_changes)`;
      await Bun.sleep(50);
    }
    expect(await shown()).toEqual(OTHER_VERSION);
    await addBusiness(sql, { name: "Orphan" });
    let later = 0;
    await until(async () => {
      await copyBusiness(sql, id, `later-${later++}`);
      return (await total("orphan")) === 1;
    }, FOUND_WITHIN_MS);
    expect(await shown()).toEqual(indexSettings.displayedAttributes as string[]);
    await running.stop();
  });

  test("leaves an index of another version that lacks nothing, however long nothing changes", async () => {
    const { id } = await addBusiness(sql, { name: "First" });
    await sync();
    await using watched = watchedMeilisearch();
    const running = await startSync({ meili: watched.meili, pollIntervalMs: 50 });
    await copyBusiness(sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await showOtherVersion();
    const before = watched.looks();
    await until(() => watched.looks() > before + 10, 20_000);
    expect(await shown()).toEqual(OTHER_VERSION);
    await running.stop();
  });

  test("does not count an outage of Meilisearch as a time in which no server applied changes", async () => {
    const { id } = await addBusiness(sql, { name: "First" });
    await sync();
    let looks = 0;
    let isFrail = false;
    await using proxy = proxyMeilisearch(({ pathname }, forward) => {
      const isLook = isFrail && pathname.endsWith("/settings/displayed-attributes");
      return isLook && ++looks % 3 === 0 ? new Response(null, { status: 503 }) : forward();
    });
    const running = await startSync({ meili: proxy.meili, pollIntervalMs: 100 });
    await copyBusiness(sql, id, "known");
    await until(async () => (await pendingChanges()) === 0, FOUND_WITHIN_MS);
    await showOtherVersion();
    isFrail = true;
    await copyBusiness(sql, id, "lacking");
    // If the outages counted, the seventh would find it abandoned, and another come once an index is built.
    await until(() => looks > 8, 20_000);
    expect(await shown()).toEqual(OTHER_VERSION);
    await running.stop();
  });

  test("replaces an index of another version when it starts", async () => {
    await addBusiness(sql, { name: "First" });
    await sync();
    await showOtherVersion();
    const running = await startSync();
    await until(async () => !(await shown()).includes("version-other"), 10_000);
    await running.stop();
  });

  test("stops although Meilisearch hangs", async () => {
    const hung = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    });
    const running = await startSync({ meili: openMeilisearch(hung.url.href, "") });
    await until(() => hung.pendingRequests > 0, 5_000);
    const started = performance.now();
    await running.stop();
    expect(performance.now() - started).toBeLessThan(10_000);
    await hung.stop(true);
  });
});

/** Meilisearch, which takes this much longer for each run that brings it something. */
function slowMeilisearch(delayMs: number) {
  let runs = 0;
  const proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
    if (method !== "GET" && pathname.endsWith("/documents")) {
      runs += 1;
      await Bun.sleep(delayMs);
    }
    return forward();
  });
  return { ...proxy, runs: () => runs };
}

/** Meilisearch, which counts how often servers look whose version the index is of. */
function watchedMeilisearch() {
  let looks = 0;
  const proxy = proxyMeilisearch(({ pathname }, forward) => {
    if (pathname.endsWith("/settings/displayed-attributes")) looks += 1;
    return forward();
  });
  return { ...proxy, looks: () => looks };
}

/** How many sessions this database has had. */
async function countSessions(): Promise<number> {
  const [row] = await sql<[{ sessions: number }]>`
    select sessions::integer from pg_stat_database where datname = current_database()`;
  return row.sessions;
}
