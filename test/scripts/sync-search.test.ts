import { afterEach, beforeEach, expect, test } from "bun:test";
import { SEARCH_INDEX } from "../../src/search/settings.ts";
import { addBusiness } from "../fixtures.ts";
import { createDatabase, runScript, type TestDatabase, uniqueIndex } from "../support.ts";

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

test("builds the index, then brings changes into it, then builds it anew when told so", async () => {
  await addBusiness(database.sql);
  const first = await syncSearch([]);
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  expect(first.stdout).toMatch(/^Built a new index of 1 business in [\d.]+ s, \d+ a second\.\n$/);

  await addBusiness(database.sql);
  const second = await syncSearch([]);
  expect(second.stdout).toMatch(/^Brought 1 change into the index in [\d.]+ s\.\n$/);

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

test("says in one line that Meilisearch is away, and exits 1", async () => {
  const { stdout, stderr, exitCode } = await syncSearch([], { MEILI_URL: "http://127.0.0.1:9" });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toStartWith("Cannot bring search up to date: ");
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("refuses an option that it does not know", async () => {
  const { stderr, exitCode } = await syncSearch(["--rebiuld"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("--rebiuld");
});
