import { afterAll, beforeAll, expect, test } from "bun:test";
import pino from "pino";
import { createKey } from "../../src/access/keys.ts";
import { type Line, openLine } from "../line.ts";
import { createDatabase, startTestServer, type TestDatabase, type TestServer } from "../support.ts";

const logged: string[] = [];
let database: TestDatabase;
let postgres: Line;
let server: TestServer;
beforeAll(async () => {
  database = await createDatabase();
  postgres = await openLine(new URL(database.url));
  server = await startTestServer(
    { databaseUrl: postgres.url, meiliUrl: "http://127.0.0.1:9" },
    { log: pino({ level: "trace" }, { write: (line: string) => void logged.push(line) }) },
  );
});
afterAll(async () => {
  await postgres.mend();
  await server.stop();
  await postgres.close();
  await database.drop();
});

test("the log of what failed has neither what was searched for nor the address of an applicant's page", async () => {
  const owner = { name: "Ada", email: "ada@map.example" };
  const { key } = await createKey(database.sql, { ...owner, tier: "developer" });
  const applied = await fetch(`${server.url}/developers/applications`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ ...owner, purpose: "A map" }),
    headers: { Origin: server.url },
  });
  const privatePage = applied.headers.get("Location") ?? "";
  const token = privatePage.slice("/developers/applications/".length);

  const statusOf = async (path: string, init?: RequestInit) =>
    (await fetch(server.url + path, init)).status;
  const search = "/api/v1/search?q=quincunx";
  expect(await statusOf(search, { headers: { Authorization: `Bearer ${key}` } })).toBe(503);
  expect(await statusOf("/search?city=&q=quincunx")).toBe(503);
  await postgres.cut();
  expect(await statusOf(privatePage)).toBe(503);
  expect(await statusOf(`${privatePage}?from=mail`)).toBe(503);

  const failed = logged.map((line) => JSON.parse(line)).filter(({ method }) => method === "GET");
  expect(failed.map(({ path }) => path.replace(server.url, ""))).toEqual([
    "/api/v1/search",
    "/search",
    "/developers/applications/…",
    "/developers/applications/…",
  ]);
  expect(token).toHaveLength(22);
  const log = logged.join("\n");
  expect(log).not.toContain("quincunx");
  expect(log).not.toContain(token);
});
