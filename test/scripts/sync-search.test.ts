import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { SEARCH_INDEX } from "../../src/search/settings.ts";
import { SEARCH_SYNC_LOCK } from "../../src/store/locks.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import {
  createDatabase,
  runOnTerminal,
  runScript,
  type TestDatabase,
  uniqueIndex,
} from "../support.ts";

const { meili } = uniqueIndex();
let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(async () => {
  await meili.deleteIndexIfExists(SEARCH_INDEX);
  await database.drop();
});

const syncSearch = (options: string[], env: Record<string, string> = {}) =>
  runScript(database.url, "sync-search", options, { env });

test("builds the index, then applies changes to it, then rebuilds it on request", async () => {
  await addBusiness(database.sql);
  const first = await syncSearch([]);
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  expect(first.stdout).toMatch(/^Built a new index of 1 business in [\d.]+ s, \d+ a second\.\n$/);

  await addBusiness(database.sql);
  const second = await syncSearch([]);
  expect(second.stdout).toMatch(/^Applied 1 change to the index in [\d.]+ s\.\n$/);

  const third = await syncSearch(["--rebuild", "--json"]);
  expect(third.stdout.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(third.stdout)).toEqual({
    rebuilt: true,
    documents: 2,
    changes: 0,
    seconds: expect.any(Number),
  });
  expect((await meili.index(SEARCH_INDEX).getStats()).numberOfDocuments).toBe(2);
});

test("on a terminal it shows its progress, and its rate so far", async () => {
  const { id } = await addBusiness(database.sql);
  await copyBusiness(database.sql, id, "shop", 4_999);
  const written = await runOnTerminal(database.url, "sync-search", []);
  const [, rate = ""] = /5,000 of 5,000 \| ([\d,]+) a second/.exec(written) ?? [];
  expect(Number(rate.replace(",", ""))).toBeWithin(1, 100_000);
});

test("waits for another sync, says so, and does not count that in its time", async () => {
  const { sql } = database;
  await addBusiness(sql);
  // It keeps trying, each time in a new session.
  const triedOften = async (times: number) => {
    const sessions = async (): Promise<number> => {
      const [database] = await sql`
        select sessions::integer from pg_stat_database where datname = current_database()`;
      return database?.sessions;
    };
    const before = await sessions();
    await until(async () => (await sessions()) >= before + times, 20_000);
  };
  let waitedMs = 0;
  const { syncing } = await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${SEARCH_SYNC_LOCK})`;
    const syncing = syncSearch(["--json"]);
    await triedOften(3);
    const begun = performance.now();
    await triedOften(10);
    waitedMs = performance.now() - begun;
    return { syncing };
  });
  const { stdout, stderr, exitCode } = await syncing;
  expect(stderr).toBe("Another process is doing this; waiting until it is done.\n");
  expect(exitCode).toBe(0);
  const { documents, seconds } = JSON.parse(stdout);
  expect(documents).toBe(1);
  expect(seconds * 1000).toBeLessThan(waitedMs);
});

test("says in one line that Meilisearch refuses the key, naming the setting", async () => {
  const { stderr, exitCode } = await syncSearch([], { MEILI_KEY: "wrong" });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Cannot bring search up to date: Meilisearch refuses MEILI_KEY: .*\n$/);
});

test("says in one line that Meilisearch is down, and exits 1", async () => {
  const { stdout, stderr, exitCode } = await syncSearch([], { MEILI_URL: "http://127.0.0.1:9" });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toMatch(
    /^Cannot reach Meilisearch: Request to http:\/\/127\.0\.0\.1:9\/\S+ has failed\. Is it running\?\n$/,
  );
});

for (const { what, body, status } of [
  { what: "a proxy", body: "<h1>502 Bad Gateway</h1>", status: 502 },
  { what: "a service with other JSON", body: '{"status":"ok"}', status: 200 },
  { what: "a service without a body", body: "", status: 200 },
]) {
  test(`says in one line that ${what} answers for Meilisearch, and exits 1`, async () => {
    using proxy = Bun.serve({ port: 0, fetch: () => new Response(body, { status }) });
    const { stderr, exitCode } = await syncSearch([], { MEILI_URL: proxy.url.href });
    expect({ stderr, exitCode }).toEqual({
      stderr:
        "Cannot bring search up to date: what answers at MEILI_URL is not Meilisearch, or is a proxy whose Meilisearch is down\n",
      exitCode: 1,
    });
  });
}
