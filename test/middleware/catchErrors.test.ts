import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import pino, { type Logger } from "pino";
import { until } from "../../scripts/stack/waiting.ts";
import { createKey } from "../../src/access/keys.ts";
import { createWindow } from "../../src/access/windows.ts";
import { catchErrors, createAwayLog } from "../../src/middleware/catchErrors.ts";
import { createSearch, SearchUnavailable } from "../../src/search/query.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { type Meilisearch, openMeilisearch } from "../../src/store/meilisearch.ts";
import { openPostgres, ping } from "../../src/store/postgres.ts";
import { openProxy, type TcpProxy } from "../proxy.ts";
import {
  createContext,
  createDatabase,
  freshRedis,
  silent,
  startTestServer,
  stores,
  type TestServer,
} from "../support.ts";

const database = await createDatabase();
afterAll(() => database.drop());

const catching = (log: Logger) => catchErrors(log, createAwayLog(log));

// Each test has a server of its own, which does not repeat for a second what it has just logged.
describe("the log of requests that failed", () => {
  let logged: string[];
  let postgres: TcpProxy;
  let server: TestServer;
  beforeEach(async () => {
    const lines: string[] = [];
    logged = lines;
    postgres = await openProxy(new URL(database.url));
    server = await startTestServer(
      { databaseUrl: postgres.url, meiliUrl: "http://127.0.0.1:9" },
      { log: pino({ level: "trace" }, { write: (line: string) => void lines.push(line) }) },
    );
  });
  afterEach(async () => {
    await postgres.mend();
    await server.stop();
    await postgres.close();
  });

  /** Its lines, with URLs as paths. */
  const failed = (asked = "GET") =>
    logged
      .map((line) => JSON.parse(line))
      .filter(({ method }) => method === asked)
      .map((line) => ({ ...line, path: line.path.replace(server.url, "") }));

  test("has neither what was searched for nor the address of an applicant's page", async () => {
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

    await until(() => failed().length === 4, 5_000);
    expect(
      failed()
        .map(({ path }) => path)
        .sort(),
    ).toEqual([
      "/api/v1/search",
      "/developers/applications/…",
      "/developers/applications/…",
      "/search",
    ]);
    expect(token).toHaveLength(22);
    const log = logged.join("\n");
    expect(log).not.toContain("quincunx");
    expect(log).not.toContain(token);
    await postgres.mend();
  });

  test("has each internal error under the id that its answer says to quote, also on pages", async () => {
    await database.sql`alter table businesses rename to businesses_away`;
    for (const path of ["/api/v1/businesses/nobody", "/businesses/nobody"]) {
      const answer = await fetch(server.url + path);
      expect(answer.status).toBe(500);
      const id = answer.headers.get("X-Request-Id");
      expect(await answer.text()).toContain(`quote ${id},`);
      expect(failed().filter((line) => line.path === path)).toEqual([
        expect.objectContaining({ requestId: id, err: expect.anything() }),
      ]);
    }
    await database.sql`alter table businesses_away rename to businesses`;
  });

  test("has the cause once a second while a store is down, without a stack, and every request counts", async () => {
    const paths = ["/businesses/nobody", "/api/v1/businesses/nobody", "/healthz"];
    await postgres.cut();
    await until(async () => (await fetch(`${server.url}/healthz`)).status === 503, 5_000);
    await Bun.sleep(1_500);
    const before = failed().length;
    const began = performance.now();
    let requests = 0;
    while (performance.now() - began < 2_200 || requests <= 20) {
      // A client of its own in each round, so that none is rate-limited, however many rounds there are.
      const headers = { "X-Forwarded-For": `198.18.${(requests >> 8) % 256}.${requests % 256}` };
      for (const path of paths) {
        expect((await fetch(server.url + path, { headers })).status).toBe(503);
      }
      requests += paths.length;
      // Leaves the processors to the other tests.
      await Bun.sleep(20);
    }
    const counted = () =>
      failed()
        .slice(before)
        .reduce((sum, line) => sum + 1 + line.leftOut, 0);
    await until(() => counted() === requests, 5_000);
    const seconds = (performance.now() - began) / 1_000;
    await postgres.mend();

    const lines = failed().slice(before);
    const causes = new Set(lines.map(({ cause }) => `${cause.type} ${cause.code}`));
    expect(lines.length).toBeLessThanOrEqual(causes.size * Math.ceil(seconds));
    for (const { msg, cause, err } of lines) {
      expect(msg).toBe("a request failed: a store is down or slow");
      expect(err).toBeUndefined();
      expect(cause).toEqual({
        type: expect.any(String),
        message: expect.stringMatching(/./),
        code: expect.stringMatching(/^(ECONNREFUSED|CONNECTION_CLOSED)$/),
      });
    }
  });

  test("has no more lines than that for applications that cannot be accepted", async () => {
    const body = new URLSearchParams({ name: "Ada", email: "ada@map.example", purpose: "A map" });
    const began = performance.now();
    await postgres.cut();
    for (let applied = 0; applied < 20; applied++) {
      const answer = await fetch(`${server.url}/developers/applications`, { method: "POST", body });
      expect(answer.status).toBe(503);
    }
    const lines = () => failed("POST");
    const counted = () => lines().reduce((sum, { leftOut }) => sum + 1 + leftOut, 0);
    await until(() => counted() === 20, 5_000);
    const seconds = (performance.now() - began) / 1_000;
    await postgres.mend();
    const causes = new Set(lines().map(({ cause }) => `${cause.type} ${cause.code}`));
    expect(lines().length).toBeLessThanOrEqual(causes.size * Math.ceil(seconds));
    expect(new Set(lines().map(({ path }) => path))).toEqual(new Set(["/developers/applications"]));
  });
});

test("a store that goes away again is logged at once, whatever its errors say", async () => {
  const lines: { leftOut: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let failures = 0;
  const handler = catching(log)(() => {
    throw new DeadlineError(`no answer within ${++failures} ms`);
  });
  const context = createContext();
  const ask = () => handler(new Request("http://localhost/"), context);
  for (let again = 0; again < 3; again++) expect((await ask()).status).toBe(503);
  expect(lines.length).toBe(1);
  // The line for the other two comes after a second; after one more without a failure the state is reset.
  await until(() => lines.length === 2, 5_000);
  await Bun.sleep(1_100);
  await ask();
  expect(lines.map(({ leftOut }) => leftOut)).toEqual([0, 1, 0]);
});

test("the line says once why Meilisearch did not answer", async () => {
  const message = await loggedOfSearch(openMeilisearch("http://127.0.0.1:9", ""));
  expect(message).toMatch(/^Meilisearch did not answer: Request to /);
  expect(message.match(/Request to /g)).toHaveLength(1);
});

test("the line says why Meilisearch refused to answer: a wrong key, no index yet", async () => {
  const { meiliUrl, meiliKey } = stores();
  expect(await loggedOfSearch(openMeilisearch(meiliUrl, "wrong"))).toBe(
    "Meilisearch refuses MEILI_KEY: The provided API key is invalid.",
  );
  expect(await loggedOfSearch(openMeilisearch(meiliUrl, meiliKey))).toMatch(
    /^Meilisearch refused to answer: .*Index `none` not found\.$/,
  );
});

/** What the log says of a search that fails. */
async function loggedOfSearch(meili: Meilisearch): Promise<string> {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const handler = catching(log)(async () => {
    const search = createSearch({ sql: database.sql, meili, index: "none" });
    await search({ text: "boots", limit: 1 });
    throw new Error("it was answered");
  });
  await handler(new Request("http://localhost/a"), createContext());
  return JSON.parse(lines[0] ?? "{}").cause.message;
}

test("different causes of one kind of failure have a line each, also when only their codes differ", async () => {
  const lines: unknown[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const causes = [
    new DeadlineError("too late"),
    new Error("refused"),
    Object.assign(new Error("refused"), { code: "ECONNRESET" }),
  ];
  let failures = 0;
  const handler = catching(log)(() => {
    const cause = causes[failures++ % causes.length];
    throw new SearchUnavailable("Search does not answer", { cause });
  });
  const context = createContext();
  for (let again = 0; again < 6; again++) {
    const answer = await handler(new Request("http://localhost/"), context);
    expect(answer.status).toBe(503);
  }
  expect(lines.length).toBe(3);
});

test("a caller who cannot be counted because Redis is away is told to retry", async () => {
  const { client } = await freshRedis();
  client.disconnect();
  const window = createWindow(client, { name: "narrow", limit: 1, seconds: 60 });
  const count = catching(silent)(async () => {
    await window("ada");
    throw new Error("it was counted");
  });
  const answer = await count(new Request("http://localhost/"), createContext());
  expect([answer.status, answer.headers["Retry-After"]]).toEqual([503, "5"]);
});

test("each internal error is logged with its stack", async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const handler = catching(log)(() => {
    throw new TypeError("broken");
  });
  const context = createContext();
  for (const path of ["a", "b"]) {
    const answer = await handler(new Request(`http://localhost/${path}`), context);
    expect(answer.status).toBe(500);
    // Nothing about the cause.
    const { message, ...rest } = JSON.parse(String(answer.body));
    expect(rest).toEqual({ error: "internal" });
    expect(message).not.toContain("broken");
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ["a", "b"].map((path) =>
      expect.objectContaining({
        path: `http://localhost/${path}`,
        err: expect.objectContaining({ stack: expect.stringContaining("catchErrors.test.ts") }),
      }),
    ),
  );
});

test("a query that PostgreSQL cancels for taking too long is 503, since it may be quicker the next time", async () => {
  const slow = catching(silent)(async () => {
    await database.sql.begin(async (transaction) => {
      await transaction`set local statement_timeout = '1ms'`;
      await transaction`select pg_sleep(60)`;
    });
    throw new Error("it was not ended");
  });
  const context = createContext();
  const answer = await slow(new Request("http://localhost/slow"), context);
  expect([answer.status, answer.headers["Retry-After"]]).toEqual([503, "5"]);
});

test("a statement whose lock is not free in time, or that a standby refuses, is 503", async () => {
  const standby = new URL(database.url);
  // Like a standby.
  standby.search = "?default_transaction_read_only=on";
  await using reader = openPostgres(standby.href, { max: 1 });
  await using waiter = openPostgres(`${database.url}?lock_timeout=1`, { max: 1 });
  await database.sql.begin(async (transaction) => {
    await transaction`lock table cities`;
    for (const [work, code] of [
      [() => reader`delete from categories`, "25006"],
      [() => waiter`select from cities`, "55P03"],
    ] as const) {
      const lines: string[] = [];
      const log = pino({}, { write: (line: string) => void lines.push(line) });
      const ask = catching(log)(async () => {
        await work();
        throw new Error("it was done");
      });
      const answer = await ask(new Request("http://localhost/"), createContext());
      expect([answer.status, answer.headers["Retry-After"]]).toEqual([503, "5"]);
      expect(JSON.parse(lines[0] ?? "{}").cause.code).toBe(code);
    }
  });
});

test("a pooler that is full is 503, though its refusal is a protocol violation by its code", async () => {
  // As PgBouncer says it.
  const refusal = Buffer.from("SFATAL\0C08P01\0Mno more connections allowed\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(refusal.length + 4, 1);
  const pooler = createServer((socket) => {
    socket.once("data", () => socket.end(Buffer.concat([head, refusal])));
  });
  await new Promise<void>((resolve) => {
    pooler.listen(0, "127.0.0.1", resolve);
  });
  const { port } = pooler.address() as { port: number };
  const sql = openPostgres(`postgres://nobody@127.0.0.1:${port}/none`, { max: 1 });
  const ask = catching(silent)(async () => {
    await ping(sql);
    throw new Error("it was answered");
  });
  const answer = await ask(new Request("http://localhost/"), createContext());
  await sql.end({ timeout: 1 });
  pooler.close();
  expect([answer.status, answer.headers["Retry-After"]]).toEqual([503, "5"]);
});

test("a PostgreSQL without free connections is 503, since some may become free soon", async () => {
  const role = `crowded_${crypto.randomUUID().replaceAll("-", "")}`;
  await database.sql.unsafe(`create role ${role} login password 'secret' connection limit 0`);
  const url = new URL(database.url);
  url.username = role;
  url.password = "secret";
  const crowded = openPostgres(url.href, { max: 1 });
  const ask = catching(silent)(async () => {
    await ping(crowded);
    throw new Error("it was answered");
  });
  const answer = await ask(new Request("http://localhost/"), createContext());
  await crowded.end();
  await database.sql.unsafe(`drop role ${role}`);
  expect([answer.status, answer.headers["Retry-After"]]).toEqual([503, "5"]);
});
