import { describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { rebuildIndex } from "../../src/search/rebuild.ts";
import { indexSettings } from "../../src/search/settings.ts";
import { syncSearch } from "../../src/search/sync.ts";
import { SearchTaskError } from "../../src/search/tasks.ts";
import { addBusiness } from "../fixtures.ts";
import { cutLockHolder, openEmptyDirectory } from "./empty-directory.ts";
import { proxyMeilisearch } from "./proxy.ts";

const directory = await openEmptyDirectory();
const { sql, meili, where, index, nextIndex, sync, total, indexed, exists } = directory;
const { setStatus, pendingChanges, addMany, recordDeletions } = directory;

/** What a rebuild beside a present index needs. */
const rebuild = () => ({
  ...where(),
  present: "fits" as const,
  signal: new AbortController().signal,
  onDocuments: () => {},
});

describe("a rebuild", () => {
  test("ends when it loses its connection to PostgreSQL and so its lock, and can be repeated", async () => {
    await addMany(50);
    // Once the connection is cut, Meilisearch never says that it has done its work, so that nothing else ends it.
    let isCut = false;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      if (isCut && pathname.startsWith("/tasks/")) return new Promise<Response>(() => {});
      if (method === "POST" && pathname.endsWith("_next/documents")) {
        isCut = true;
        await cutLockHolder(sql);
      }
      return forward();
    });
    await expect(syncSearch({ ...where(), meili: proxy.meili })).rejects.toThrow(
      "search lock was closed",
    );
    expect(isCut).toBe(true);
    expect(await sync()).toMatchObject({ state: "current", rebuilt: true, documents: 50 });
    // Less than the longest request, which would end the work, too.
  }, 20_000);

  test.each([
    ["applied after each batch", 0],
    ["applied at the end", 60_000],
  ])(
    "loses no change that is committed meanwhile and %s, and searches are answered all the time",
    async (_, changesAfterMs) => {
      await addMany(300);
      await sync();
      const answers: number[] = [];
      const ask = async () => answers.push(await total("zephyr"));
      let n = 0;
      const change = async () => {
        await sql`update businesses set name = name || ' again' where slug = ${`zephyr-${n}`}`;
        await setStatus(`zephyr-${(n + 3) % 300}`, n % 2 ? "suspended" : "approved");
        n = (n + 7) % 300;
      };
      const documents = await repeatDuring([ask, change], () =>
        rebuildIndex({ ...rebuild(), documentsAtOnce: 40, changesAfterMs }),
      );
      expect(documents).toBeGreaterThan(100);
      expect(answers.length).toBeGreaterThan(5);
      expect(Math.min(...answers)).toBeGreaterThan(100);

      expect(await sync()).toMatchObject({ rebuilt: false });
      const approved = await sql<{ id: string; name: string }[]>`
        select id, name from businesses where status = 'approved' order by id`;
      expect(await indexed()).toEqual([...approved]);
      await until(async () => !(await exists(nextIndex())), 5_000);
    },
  );

  test("keeps the present index current meanwhile", async () => {
    await addMany(300);
    await sync();
    await addBusiness(sql, { name: "Newcomer" });
    let isReading = true;
    const foundMeanwhile: number[] = [];
    await using proxy = proxyMeilisearch(async ({ pathname }, forward) => {
      if (isReading && pathname.endsWith("_next/documents")) {
        foundMeanwhile.push(await total("newcomer"));
      }
      return forward();
    });
    await rebuildIndex({
      ...rebuild(),
      meili: proxy.meili,
      onDocuments(sent) {
        isReading = sent < 301;
      },
      documentsAtOnce: 100,
      changesAfterMs: 0,
    });
    expect(foundMeanwhile).toContain(1);
  });

  test("includes what was committed meanwhile before it replaces the present index", async () => {
    const { id } = await addBusiness(sql, { name: "Early" });
    await sync();
    // When all documents have been read.
    await using proxy = proxyMeilisearch(async ({ pathname }, forward) => {
      if (pathname.endsWith("_next/documents")) {
        await sql`update businesses set name = 'Latecomer' where id = ${id}`;
      }
      return forward();
    });
    await rebuildIndex({ ...rebuild(), meili: proxy.meili });
    expect(await total("latecomer")).toBe(1);
  });

  test("sends no document after a change that it was read before", async () => {
    await addMany(20);
    await sync();
    // Each time before documents are sent, one that comes with the next ones changes.
    let sent = 0;
    await using proxy = proxyMeilisearch(async ({ method, pathname }, forward) => {
      if (method === "POST" && pathname.endsWith("_next/documents")) {
        const slug = `zephyr-${++sent * 5 + 2}`;
        await sql`update businesses set name = 'changed' where slug = ${slug}`;
      }
      return forward();
    });
    const { meili } = proxy;
    await rebuildIndex({ ...rebuild(), meili, documentsAtOnce: 5, changesAfterMs: 0 });
    await sync();
    expect(await total("changed")).toBe(3);
  });

  test("leaves the present index as it is when documents are refused", async () => {
    await addBusiness(sql, { name: "Present" });
    await sync();
    await addBusiness(sql, { name: "Absent" });
    // Documents have no such attribute, so Meilisearch takes them, and then fails.
    await using proxy = proxyMeilisearch(({ method, pathname }, forward) =>
      method === "POST" && pathname.endsWith("_next/documents")
        ? forward('[{ "name": "x" }]')
        : forward(),
    );
    await expect(rebuildIndex({ ...rebuild(), meili: proxy.meili })).rejects.toThrow(
      SearchTaskError,
    );
    expect(await total("present")).toBe(1);
  });

  test("does not replace the present index when the new one refuses a change, which stays recorded", async () => {
    await addBusiness(sql, { name: "Present" });
    await sync();
    await addBusiness(sql, { name: "Absent" });
    // As above, but only where the new index gets what has changed.
    await using proxy = proxyMeilisearch(({ method, pathname }, forward) =>
      method === "PUT" && pathname.endsWith("_next/documents")
        ? forward('[{ "name": "x" }]')
        : forward(),
    );
    await expect(rebuildIndex({ ...rebuild(), meili: proxy.meili })).rejects.toThrow(
      SearchTaskError,
    );
    expect(await sync()).toMatchObject({ rebuilt: false, changes: 1 });
  });

  test("does not wait for very many recorded changes, and starts again after it was cut short", async () => {
    await addMany(10);
    await recordDeletions(20_000);
    const signal = AbortSignal.timeout(30_000);
    await meili.createIndex(index().uid, { primaryKey: "id" }).waitTask();
    await index().updateSettings(indexSettings).waitTask();
    // What is empty is begun again anyway.
    const { id } = await addBusiness(sql, { name: "Known" });
    await index()
      .addDocuments([{ id, name: "known" }])
      .waitTask();
    expect(await pendingChanges()).toBeGreaterThan(20_000);

    const stopping = new AbortController();
    const cutShort = rebuildIndex({
      ...rebuild(),
      signal: AbortSignal.any([signal, stopping.signal]),
      onDocuments: () => stopping.abort(),
      documentsAtOnce: 5,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    expect(await pendingChanges()).toBe(0);
    expect(await sync({ signal })).toMatchObject({ rebuilt: true, documents: 11, changes: 0 });
    expect(await total("zephyr")).toBe(10);
  }, 40_000);

  test("sends nothing more once it is told to stop, however few requests are in flight", async () => {
    await addMany(10);
    const stopping = new AbortController();
    const sent: number[] = [];
    const cutShort = rebuildIndex({
      ...rebuild(),
      present: "missing",
      signal: stopping.signal,
      onDocuments(documents) {
        sent.push(documents);
        stopping.abort();
      },
      documentsAtOnce: 1,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    expect(sent).toEqual([1]);
  });

  test("that was cut short does not disturb the next one, which leaves nothing", async () => {
    await addBusiness(sql, { name: "Whole" });
    await meili.createIndex(nextIndex().uid, { primaryKey: "id" }).waitTask();
    await nextIndex()
      .addDocuments([{ id: crypto.randomUUID(), name: "half" }])
      .waitTask();
    for (let times = 0; times < 2; times++) await sync({ rebuild: true });
    expect((await indexed()).map((document) => document.name)).toEqual(["whole"]);
    await until(async () => !(await exists(nextIndex())), 5_000);
  });

  test("that was cut short leaves nothing once the present index is tidied", async () => {
    await addMany(10);
    await sync();
    const stopping = new AbortController();
    const cutShort = rebuildIndex({
      ...rebuild(),
      signal: stopping.signal,
      onDocuments: () => stopping.abort(),
      documentsAtOnce: 1,
    });
    await expect(cutShort).rejects.toThrow("aborted");
    await until(() => exists(nextIndex()), 5_000);
    expect(await sync()).toMatchObject({ rebuilt: false });
    expect(await exists(nextIndex())).toBe(true);
    await using frail = proxyMeilisearch(({ pathname }, forward) =>
      pathname.endsWith("_next") ? new Response("{}", { status: 503 }) : forward(),
    );
    await expect(syncSearch({ ...where(), meili: frail.meili }, { tidy: true })).rejects.toThrow();
    expect(await sync({ tidy: true })).toMatchObject({ rebuilt: false });
    await until(async () => !(await exists(nextIndex())), 5_000);
    expect(await total("zephyr")).toBe(10);
  });
});

test("an index that lacks a present-day filter answers while another is built", async () => {
  await addMany(300);
  await sync();
  const old = index();
  await old.updateDisplayedAttributes(["id"]).waitTask();
  await old.updateFilterableAttributes(["citySlug"]).waitTask();
  await expect(total("zephyr")).rejects.toMatchObject({
    cause: { message: expect.stringContaining("isGone") },
  });
  let answer = 0;
  const ask = async () => {
    answer = await total("zephyr").catch(() => 0);
  };
  const answersMeanwhile: number[] = [];
  await repeatDuring([ask], () =>
    rebuildIndex({
      ...rebuild(),
      present: "does not fit",
      onDocuments: () => answersMeanwhile.push(answer),
      documentsAtOnce: 10,
      changesAfterMs: 0,
    }),
  );
  expect(answersMeanwhile).toContain(300);
});

/** Does each step again and again until the work ends. @returns what the work resolves to */
async function repeatDuring<Result>(
  steps: readonly (() => Promise<unknown>)[],
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  const repeating = steps.map(async (step) => {
    while (!isDone) await step();
  });
  try {
    return await work();
  } finally {
    isDone = true;
    await Promise.all(repeating);
  }
}
