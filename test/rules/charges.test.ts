import { afterAll, describe, expect } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { generateKey } from "../../src/access/key-format.ts";
import { windowName } from "../../src/access/meters.ts";
import { addBusiness } from "../fixtures.ts";
import { newAddress, startTestServer, testInOneMonth as test, untilBlocked } from "../support.ts";

// What is charged to whom: the table in the README.

const server = await startTestServer();
await addBusiness(server.sql, { slug: "a-shop" });
await server.searchable("a-shop");
afterAll(() => server.stop());

interface Init {
  method?: string;
  headers?: Record<string, string>;
}
/** A description, the status of the answer, the requests charged, the path. */
type Case = [what: string, status: number, charged: number, path: string, init?: Init];

const LIST = "/api/v1/businesses";
const HELD = { headers: { "If-None-Match": "*" } };

const ask = (path: string, address: string, { method = "GET", headers = {} }: Init = {}) =>
  fetch(server.url + path, { method, headers: { ...headers, "X-Forwarded-For": address } });
const withKey = (key: string, { headers, ...init }: Init = {}) => ({
  ...init,
  headers: { ...headers, Authorization: `Bearer ${key}` },
});

/** What was charged to an address in this minute, found by using up the rest. */
async function chargedToMinute(address: string): Promise<number> {
  const rest = await Promise.all(Array.from({ length: 60 }, () => ask(LIST, address)));
  return rest.filter(({ status }) => status === 429).length;
}

/** The connections that a server has for its answers. */
const CONNECTIONS = 10;

const BURST = 5;
/** What was charged to a key whose bucket was full. */
async function chargedToKey(key: string): Promise<{ tokens: number; quota: number }> {
  const usage = await ask("/api/v1/usage", newAddress(), withKey(key));
  const { data } = (await usage.json()) as { data: { used: number; tokensLeft: number } };
  return { tokens: BURST - data.tokensLeft, quota: data.used };
}

describe("charged without a key, to the caller's minute", () => {
  const cases: Case[] = [
    ["a list", 200, 1, LIST],
    ["the head of a list", 200, 1, LIST, { method: "HEAD" }],
    ["a list that the caller has", 304, 1, LIST, HELD],
    ["a list of a wrong page", 400, 1, `${LIST}?page=0`],
    ["a business", 200, 1, `${LIST}/a-shop`],
    ["a business that does not exist", 404, 1, `${LIST}/nobody`],
    ["a path that does not exist", 404, 0, "/api/v1/nowhere"],
    ["a wrong method for a list", 405, 0, LIST, { method: "DELETE" }],
    ["a wrong method for a business", 405, 0, `${LIST}/a-shop`, { method: "POST" }],
    ["a preflight", 204, 0, LIST, { method: "OPTIONS" }],
    ["what needs a key", 401, 0, "/api/v1/categories"],
    ["usage", 401, 0, "/api/v1/usage"],
  ];
  for (const [what, status, charged, path, init] of cases) {
    test(`${charged} for ${what}, ${status}`, async () => {
      const address = newAddress();
      expect((await ask(path, address, init)).status).toBe(status);
      expect(await chargedToMinute(address)).toBe(charged);
    });
  }

  test("0 for 429", async () => {
    const address = newAddress();
    await chargedToMinute(address);
    const admissions = () => server.redis.getBuffer(windowName(address));
    const before = await admissions();
    for (let again = 0; again < 3; again++) expect((await ask(LIST, address)).status).toBe(429);
    expect(before?.byteLength).toBe(60 * 8);
    expect(await admissions()).toEqual(before);
  });
});

describe("charged with a valid key, to the key and never to the caller's minute", () => {
  const cases: Case[] = [
    ["a list", 200, 1, LIST],
    ["the head of a list", 200, 1, LIST, { method: "HEAD" }],
    ["a list that the caller has", 304, 1, LIST, HELD],
    ["a list of a wrong page", 400, 1, `${LIST}?page=0`],
    ["a business", 200, 1, `${LIST}/a-shop`],
    ["a business that does not exist", 404, 1, `${LIST}/nobody`],
    ["the categories", 200, 1, "/api/v1/categories"],
    ["the cities", 200, 1, "/api/v1/cities"],
    ["a search", 200, 1, "/api/v1/search?q=shop"],
    ["a search for nothing", 400, 1, "/api/v1/search"],
    ["a path that does not exist", 404, 0, "/api/v1/nowhere"],
    ["a wrong method for a list", 405, 0, LIST, { method: "DELETE" }],
    ["a wrong method for a search", 405, 0, "/api/v1/search?q=shop", { method: "POST" }],
    ["OPTIONS", 204, 0, LIST, { method: "OPTIONS" }],
    ["usage", 200, 0, "/api/v1/usage"],
  ];
  for (const [what, status, charged, path, init] of cases) {
    test(`${charged} for ${what}, ${status}`, async () => {
      const address = newAddress();
      const limits = { quota: 10, perMinute: 1, burst: BURST };
      const key = await server.issueKey({ tier: "enterprise", ...limits });
      expect((await ask(path, address, withKey(key, init))).status).toBe(status);
      expect(await chargedToKey(key)).toEqual({ tokens: charged, quota: charged });
      expect(await chargedToMinute(address)).toBe(0);
    });
  }

  test("0 for a request that takes too long, 503", async () => {
    const address = newAddress();
    const limits = { quota: 10, perMinute: 1, burst: BURST };
    const key = await server.issueKey({ tier: "enterprise", ...limits });
    const others: Promise<unknown>[] = [];
    await server.sql.begin(async (transaction) => {
      await transaction`lock table listings in access exclusive mode`;
      // Others have all the connections, so it is abandoned before PostgreSQL would end its statement.
      for (let limit = 1; limit <= CONNECTIONS; limit++) {
        others.push(ask(`${LIST}?limit=${limit}`, newAddress()));
        await untilBlocked(server.sql, limit);
      }
      expect((await ask(`${LIST}?per_page=7`, address, withKey(key))).status).toBe(503);
    });
    await Promise.all(others);
    expect(await chargedToKey(key)).toEqual({ tokens: 0, quota: 0 });
  });

  for (const [reason, quota] of [
    ["rate_limited", 10],
    ["quota_exceeded", 2],
  ] as const) {
    test(`0 for 429 ${reason}`, async () => {
      const address = newAddress();
      const limits = { quota, perMinute: 1, burst: BURST };
      const key = await server.issueKey({ tier: "enterprise", ...limits });
      const admitted = Math.min(quota, BURST);
      for (let request = 0; request < admitted; request++) await ask(LIST, address, withKey(key));
      for (let again = 0; again < 3; again++) {
        const refused = await ask(LIST, address, withKey(key));
        expect([refused.status, await refused.json()]).toMatchObject([429, { error: reason }]);
      }
      expect(await chargedToKey(key)).toEqual({ tokens: admitted, quota: admitted });
      expect(await chargedToMinute(address)).toBe(0);
    });
  }
});

describe("charged with a key that is refused, to the caller's minute", () => {
  const keys = {
    "an invalid key": async () => "wrong",
    "a revoked key": async () => {
      const key = await server.issueKey({ tier: "developer" });
      await server.revoke(key);
      return key;
    },
    "an expired key": () =>
      server.issueKey({ tier: "developer", expiresAt: new Date(Date.now() - 1_000) }),
  };
  const cases: [keyof typeof keys, ...Case][] = [
    ["an invalid key", "a list", 401, 1, LIST],
    ["an invalid key", "a business", 401, 1, `${LIST}/a-shop`],
    ["an invalid key", "a search", 401, 1, "/api/v1/search?q=shop"],
    ["an invalid key", "usage", 401, 1, "/api/v1/usage"],
    ["a revoked key", "a list", 403, 1, LIST],
    ["a revoked key", "usage", 403, 1, "/api/v1/usage"],
    ["an expired key", "a list", 403, 1, LIST],
    ["an expired key", "usage", 403, 1, "/api/v1/usage"],
    ["an invalid key", "a wrong method", 405, 0, LIST, { method: "DELETE" }],
    ["an invalid key", "OPTIONS", 204, 0, LIST, { method: "OPTIONS" }],
    ["an invalid key", "a path that does not exist", 404, 0, "/api/v1/nowhere"],
  ];
  for (const [which, what, status, charged, path, init] of cases) {
    test(`${charged} for ${what} with ${which}, ${status}`, async () => {
      const key = await keys[which]();
      const address = newAddress();
      expect((await ask(path, address, withKey(key, init))).status).toBe(status);
      expect(await chargedToMinute(address)).toBe(charged);
    });
  }

  test("1 also when the caller disconnects before the key is known to be invalid", async () => {
    const address = newAddress();
    const gone = new AbortController();
    await server.sql.begin(async (transaction) => {
      await transaction`lock table api_keys in access exclusive mode`;
      const attempt = fetch(server.url + LIST, {
        headers: { Authorization: `Bearer ${generateKey()}`, "X-Forwarded-For": address },
        signal: gone.signal,
      }).catch(() => "gone");
      await untilBlocked(server.sql);
      gone.abort();
      expect(await attempt).toBe("gone");
      // Once this is answered, the server knows that the earlier caller has disconnected.
      await ask("/api/v1/nowhere", address);
    });
    await until(async () => (await server.redis.exists(windowName(address))) > 0, 5_000);
    expect(await chargedToMinute(address)).toBe(1);
  });
});
