import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { drawDetails } from "../../scripts/bench/details.ts";
import { drawLists } from "../../scripts/bench/lists.ts";
import { readRequests, writeRequests } from "../../scripts/bench/requests.ts";
import { drawSearches } from "../../scripts/bench/searches.ts";
import { drive } from "../../scripts/bench/wrk.ts";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { importRecords } from "../../src/directory/import.ts";
import { createDatabase, newFolder } from "../support.ts";

const folder = await newFolder();
const database = await createDatabase();
const records = generateBusinesses({ count: 1_000, seed: 1 });
await importRecords(database.sql, records, { source: "sample" });
afterAll(async () => {
  await database.drop();
});

describe("realistic requests", () => {
  test("lists are reproducible, and early pages of large lists are the most frequent", async () => {
    const paths = await drawLists(database.sql, 500);
    expect(await drawLists(database.sql, 500)).toEqual(paths);
    expect(new Set(paths).size).toBe(500);
    const often = (path: string) => paths.filter((drawn) => drawn === path).length;
    const all = "/api/v1/businesses";
    expect(often(all)).toBeGreaterThan(often(`${all}?page=2`));
    expect(often(`${all}?page=2`)).toBeGreaterThan(often(`${all}?page=9`));
    expect(often(`${all}?city=london`)).toBeGreaterThan(often(`${all}?city=oban`));
  });

  test("details are of approved businesses, some far more popular than others", async () => {
    const paths = await drawDetails(database.sql, 200);
    expect(new Set(paths).size).toBe(200);
    const slugs = [...new Set(paths)].map((path) => path.split("/").at(-1) as string);
    const [row] = await database.sql<[{ approved: number }]>`
      select count(*)::integer as approved from businesses
      where slug = any(${slugs}) and status = 'approved'`;
    expect(row.approved).toBe(200);
    const [first = ""] = paths.toSorted((a, b) => often(b) - often(a));
    function often(path: string) {
      return paths.filter((drawn) => drawn === path).length;
    }
    expect(often(first)).toBeGreaterThan((10 * paths.length) / 1_000);
  });

  test("searches are all different", async () => {
    const questions = await drawSearches(database.sql, 300);
    expect(new Set(questions).size).toBe(300);
    expect(questions.every((question) => /\S/.test(question))).toBe(true);
  });
});

test("recorded requests can be read back, each distinct request once", async () => {
  const list = { path: "/lists?page=2", headers: { "If-None-Match": '"a: b"' } };
  const question = {
    path: "/search",
    headers: { "Content-Type": "text/plain" },
    body: '{"q":"é"}',
  };
  const file = join(folder, "read.txt");
  const { requestsFile, mix } = await writeRequests(file, [list, question, list]);
  expect(mix).toEqual({ requests: 3, different: 2, topShare: 2 / 3 });
  expect(await readRequests(requestsFile)).toEqual([list, question]);
});

describe.skipIf(!Bun.which("wrk"))("wrk", () => {
  async function traffic() {
    const { requestsFile } = await writeRequests(join(folder, "driven.txt"), [
      { path: "/lists?page=2", headers: { "If-None-Match": '"a"' } },
      { path: "/search", headers: {}, body: '{"q":"é"}' },
    ]);
    const callersFile = join(folder, "callers.txt");
    await Bun.write(callersFile, "X-Caller: one\nX-Caller: two\nX-Caller: three\n");
    return { requestsFile, callersFile };
  }

  test("sends the recorded requests, each from the next caller", async () => {
    const seen = new Map<string, number>();
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(asked) {
        const { method, headers } = asked;
        const { pathname, search } = new URL(asked.url);
        const request = [
          ...[method, pathname + search, headers.get("If-None-Match")],
          ...[headers.get("X-Caller"), method === "POST" ? await asked.text() : null],
        ].join(" ");
        seen.set(request, (seen.get(request) ?? 0) + 1);
        return new Response(null, { status: method === "POST" ? 200 : 304 });
      },
    });
    const { perSecond, p50Ms, p99Ms } = await drive(server.url.href, await traffic(), {
      seconds: 1,
      from: 5,
    });
    expect(perSecond).toBeGreaterThan(0);
    expect(p50Ms).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    expect([...seen.keys()].sort()).toEqual(
      ["one", "two", "three"]
        .flatMap((caller) => [
          `GET /lists?page=2 "a" ${caller} `,
          `POST /search  ${caller} {"q":"é"}`,
        ])
        .sort(),
    );
  });

  test("without callers, each request comes from another address", async () => {
    const addresses: string[] = [];
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        addresses.push(request.headers.get("X-Forwarded-For") ?? "");
        return new Response();
      },
    });
    const { requestsFile } = await traffic();
    await drive(server.url.href, { requestsFile, callersFile: null }, { seconds: 1, from: 70_000 });
    expect(addresses[0]).toMatch(/^10\.1\.\d{1,3}\.\d{1,3}$/);
    const times = new Map<string, number>();
    for (const address of addresses) times.set(address, (times.get(address) ?? 0) + 1);
    // Of two threads, one may reach the point where the other began.
    expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
  });

  test("fails when anything is refused", async () => {
    let count = 0;
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(null, { status: ++count === 100 ? 429 : 200 }),
    });
    const driven = drive(server.url.href, await traffic(), { seconds: 1, from: 0 });
    await expect(driven).rejects.toThrow(/, 1 got an error status and 0 failed\.$/);
  });
});
