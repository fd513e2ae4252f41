import { afterAll, describe, expect } from "bun:test";
import { createHash } from "node:crypto";
import { until } from "../../scripts/stack/waiting.ts";
import { addBusiness } from "../fixtures.ts";
import { newAddress, startTestServer, testInOneMonth as test } from "../support.ts";

// Who is admitted, how often, and what a refusal says.

const server = await startTestServer();
await addBusiness(server.sql, { slug: "a-shop" });
await server.searchable("a-shop");
afterAll(() => server.stop());

const LIST = "/api/v1/businesses";
const from = (address: string, path = LIST, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { ...headers, "X-Forwarded-For": address } });
const withAuthorization = (value: string, path = LIST, address = newAddress()) =>
  from(address, path, { Authorization: value });
const withKey = (key: string, path = LIST) => withAuthorization(`Bearer ${key}`, path);
const inOneMinute = () => new Date(Date.now() + 60_000);

describe("authentication", () => {
  test("open access needs no credential", async () => {
    expect((await from(newAddress())).status).toBe(200);
  });
  test("the header is the scheme word Bearer, one or more spaces, then the key", async () => {
    const key = await server.issueKey({ tier: "developer" });
    expect((await withAuthorization(`Bearer ${key}`)).status).toBe(200);
    expect((await withAuthorization(`bearer ${key}`)).status).toBe(200);
    expect((await withAuthorization(`Bearer  ${key}`)).status).toBe(200);
  });
  test('no Authorization header is 401 {error: "missing"} with a Bearer challenge', async () => {
    for (const path of [
      "/api/v1/categories",
      "/api/v1/cities",
      "/api/v1/search?q=x",
      "/api/v1/usage",
    ]) {
      const response = await from(newAddress(), path);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: "missing" });
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="Highstreet"');
    }
  });
  test('a bad Authorization header or key is 401 {error: "invalid"}', async () => {
    const key = await server.issueKey({ tier: "developer" });
    const other = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    const bad = [
      "",
      "Bearer",
      "Bearer ",
      key,
      `Bearer${key}`,
      `Basic ${key}`,
      `Token ${key}`,
      `Bearer ${other}`,
      `bearer ${other}`,
      `Bearer ${key} x`,
      `Bearer ${key}, Bearer ${key}`,
      "Bearer hs_live_",
      `Bearer hs_live_${"a".repeat(38)}`,
      `Bearer ${"x".repeat(4000)}`,
    ];
    for (const value of bad) {
      const response = await withAuthorization(value);
      expect([value.slice(0, 40), response.status]).toEqual([value.slice(0, 40), 401]);
      expect(await response.json()).toEqual({ error: "invalid" });
      // RFC 6750, section 3.1: no error code for another scheme.
      const error = /^(Bearer\b|\S+$)/i.test(value) ? ', error="invalid_token"' : "";
      const advice = [key, `Bearer${key}`].includes(value)
        ? ', error_description="Put the word Bearer and a space before the key."'
        : "";
      expect(response.headers.get("WWW-Authenticate")).toBe(
        `Bearer realm="Highstreet"${error}${advice}`,
      );
    }
  });
  test('a disabled key is 403 {error: "revoked"}', async () => {
    const key = await server.issueKey({ tier: "developer" });
    expect((await withKey(key)).status).toBe(200);
    await server.revoke(key);
    await until(async () => (await withKey(key)).status === 403, 1_000);
    expect(await (await withKey(key)).json()).toEqual({ error: "revoked" });
  });
  test('an expired key is 403 {error: "expired"}', async () => {
    const key = await server.issueKey({ tier: "developer", expiresAt: inOneMinute() });
    expect((await withKey(key)).status).toBe(200);
    await server.sql`update api_keys set expires_at = now() - interval '1 second' where key_hash = ${sha256(key)}`;
    await until(async () => (await withKey(key)).status === 403, 1_000);
    expect(await (await withKey(key)).json()).toEqual({ error: "expired" });
  });
  test("revoked wins over expired", async () => {
    const key = await server.issueKey({ tier: "developer", expiresAt: new Date(0) });
    expect(await (await withKey(key)).json()).toEqual({ error: "expired" });
    await server.revoke(key);
    const isRevoked = async () => (await (await withKey(key)).json()).error === "revoked";
    await until(isRevoked, 1_000);
  });
  test("failed authentication counts against the caller's open limit", async () => {
    const address = newAddress();
    for (let attempt = 0; attempt < 60; attempt++) {
      expect((await withAuthorization("Bearer wrong", LIST, address)).status).toBe(401);
    }
    const refused = await withAuthorization("Bearer wrong", LIST, address);
    expect(refused.status).toBe(429);
    const { error } = (await refused.json()) as { error: string };
    expect(error).toStartWith("Too many requests");
    // A caller who has sent a key is not told that it is missing.
    expect(error).toContain("without a valid API key");
    expect((await from(address)).status).toBe(429);
    const revoked = await server.issueKey({ tier: "developer" });
    await server.revoke(revoked);
    expect((await withAuthorization(`Bearer ${revoked}`, LIST, address)).status).toBe(429);
  });
  test("a valid key is not affected by the open limit of its caller's address", async () => {
    const address = newAddress();
    for (let attempt = 0; attempt < 61; attempt++) await from(address);
    const key = await server.issueKey({ tier: "developer" });
    expect((await withAuthorization(`Bearer ${key}`, LIST, address)).status).toBe(200);
  });
});

describe("open limits", () => {
  test("200 concurrent requests from one client: 60 answers of 200 and 140 of 429", async () => {
    const address = newAddress();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await from(address)).status),
    );
    expect(count(statuses)).toEqual({ 200: 60, 429: 140 });
  });
  test('the 429 body is one message beginning "Too many requests" that says when to come back, and is not cached', async () => {
    const address = newAddress();
    await Promise.all(Array.from({ length: 60 }, () => from(address)));
    const response = await from(address);
    const body = (await response.json()) as { error: string };
    expect(Object.keys(body)).toEqual(["error"]);
    expect(body.error).toStartWith("Too many requests");
    const retryAfter = Number(response.headers.get("Retry-After"));
    expect(retryAfter).toBeGreaterThanOrEqual(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(body.error).toContain(String(retryAfter));
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });
  test("x-ratelimit-limit is 60 on every open answer, and x-ratelimit-remaining is on none", async () => {
    const address = newAddress();
    const paths = [LIST, `${LIST}/a-shop`, `${LIST}/nobody`, `${LIST}?page=0`, "/api/v1/nowhere"];
    const responses = await Promise.all(paths.map((path) => from(address, path)));
    await Promise.all(Array.from({ length: 60 }, () => from(address)));
    responses.push(await from(address));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 400, 404, 429]);
    for (const { headers } of responses) {
      expect(headers.get("x-ratelimit-limit")).toBe("60");
      expect(headers.get("x-ratelimit-remaining")).toBeNull();
    }
  });
  test("an IPv6 client is a /64, and an IPv4-mapped address is the IPv4 client", async () => {
    const network = "2001:db8:77:1";
    await Promise.all(
      Array.from({ length: 60 }, (_, host) => from(`${network}::${host.toString(16)}`)),
    );
    expect((await from(`${network}:ffff::1`)).status).toBe(429);
    expect((await from("2001:db8:77:2::1")).status).toBe(200);
    const address = newAddress();
    await Promise.all(Array.from({ length: 60 }, () => from(address)));
    expect((await from(`::ffff:${address}`)).status).toBe(429);
  });
  test("X-Forwarded-For is believed only from trusted proxies", async () => {
    await using direct = await startTestServer({ trustedProxies: [] });
    const statuses = await Promise.all(
      Array.from(
        { length: 61 },
        async () =>
          (await fetch(direct.url + LIST, { headers: { "X-Forwarded-For": newAddress() } })).status,
      ),
    );
    expect(count(statuses)).toEqual({ 200: 60, 429: 1 });
  });
});

describe("keyed limits", () => {
  test("500 concurrent requests with one developer key: 60 admitted, and 60 of the quota used", async () => {
    const key = await server.issueKey({ tier: "developer" });
    const start = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async () => (await withKey(key)).status),
    );
    // A token is refilled each second: none, unless the machine took longer than that.
    const refilled = Math.floor((performance.now() - start) / 1_000);
    const { 200: admitted = 0, 429: refused = 0 } = count(statuses);
    expect(admitted + refused).toBe(500);
    expect(admitted).toBeGreaterThanOrEqual(60);
    expect(admitted).toBeLessThanOrEqual(60 + refilled);
    expect(await server.used(key)).toBe(admitted);
  });
  test('an empty bucket is 429 {error: "rate_limited", retryAfter} with Retry-After', async () => {
    const key = await server.issueKey({ tier: "enterprise", quota: 100, perMinute: 2, burst: 1 });
    expect((await withKey(key)).status).toBe(200);
    const response = await withKey(key);
    expect(response.status).toBe(429);
    const body = (await response.json()) as { error: string; retryAfter: number };
    expect(body).toEqual({ error: "rate_limited", retryAfter: expect.any(Number) });
    expect(body.retryAfter).toBeGreaterThanOrEqual(1);
    expect(body.retryAfter).toBeLessThanOrEqual(30);
    expect(Number.isInteger(body.retryAfter)).toBe(true);
    expect(response.headers.get("Retry-After")).toBe(String(body.retryAfter));
    expect(response.headers.get("RateLimit-Policy")).toContain('"permin";q=2');
    expect(response.headers.get("RateLimit")).toContain(`"permin";r=0;t=${body.retryAfter}`);
  });
  test('a used-up quota is 429 {error: "quota_exceeded"}, Retry-After the first of next month', async () => {
    const key = await server.issueKey({ tier: "enterprise", quota: 2, perMinute: 100, burst: 100 });
    await withKey(key);
    await withKey(key);
    const response = await withKey(key);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({ error: "quota_exceeded" });
    expect(response.headers.get("RateLimit")).toContain('"month";r=0;t=');
    const now = new Date();
    const secondsLeft =
      (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1000;
    expect(Math.abs(Number(response.headers.get("Retry-After")) - secondsLeft)).toBeLessThan(5);
  });
  test("quota_exceeded wins over rate_limited", async () => {
    const key = await server.issueKey({ tier: "enterprise", quota: 1, perMinute: 1, burst: 1 });
    await withKey(key);
    expect(await (await withKey(key)).json()).toEqual({ error: "quota_exceeded" });
  });
  test("5xx answers are refunded", async () => {
    await using broken = await startTestServer({ meiliUrl: "http://127.0.0.1:9" });
    const key = await broken.issueKey({ tier: "developer" });
    const response = await fetch(`${broken.url}/api/v1/search?q=x`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: "unavailable",
      message: expect.any(String),
    });
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(await broken.used(key)).toBe(0);
  });
  const tiers = { developer: [1_000, 60], starter: [10_000, 120], growth: [100_000, 600] } as const;
  for (const [tier, [quota, perMinute]] of Object.entries(tiers)) {
    test(`${tier}: ${quota} requests a month, ${perMinute} a minute`, async () => {
      const { headers } = await withKey(await server.issueKey({ tier }));
      expect(headers.get("RateLimit-Policy")).toContain(`"permin";q=${perMinute}`);
      expect(headers.get("RateLimit-Policy")).toContain(`"month";q=${quota}`);
      expect(headers.get("RateLimit")).toContain(`"month";r=${quota - 1}`);
    });
  }
  test("enterprise: quota, rate and burst of the key's own", async () => {
    const key = await server.issueKey({
      tier: "enterprise",
      quota: 2_000_000,
      perMinute: 10,
      burst: 25,
    });
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await withKey(key)).status),
    );
    expect(count(statuses)).toEqual({ 200: 25, 429: 15 });
  });
  test("tiers are rows: 1,000 a minute is one update", async () => {
    await using other = await startTestServer();
    await other.sql`update tiers set per_minute = 1000 where slug = 'developer'`;
    const key = await other.issueKey({ tier: "developer" });
    const response = await fetch(other.url + LIST, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(response.headers.get("RateLimit-Policy")).toContain('"permin";q=1000');
  });
  test("a key moves to another tier with one update, within a second", async () => {
    const key = await server.issueKey({ tier: "developer" });
    const policy = async () => (await withKey(key)).headers.get("RateLimit-Policy");
    expect(await policy()).toStartWith('"permin";q=60;');
    await server.sql`update api_keys set tier = 'starter' where key_hash = ${sha256(key)}`;
    await until(async () => (await policy())?.startsWith('"permin";q=120;') ?? false, 1_000);
  });
  test("every counted keyed answer has RateLimit-Policy and RateLimit", async () => {
    const key = await server.issueKey({ tier: "developer" });
    for (const path of [
      LIST,
      `${LIST}/a-shop`,
      `${LIST}/nobody`,
      `${LIST}?page=0`,
      "/api/v1/categories",
      "/api/v1/search?q=shop",
    ]) {
      const { headers } = await withKey(key, path);
      expect(headers.get("RateLimit-Policy")).toContain('"permin"');
      expect(headers.get("RateLimit")).toContain('"permin";r=');
    }
  });
  test("keyed answers have no x-ratelimit-limit", async () => {
    const key = await server.issueKey({ tier: "developer" });
    expect((await withKey(key)).headers.get("x-ratelimit-limit")).toBeNull();
  });
});

const sha256 = (key: string) => createHash("sha256").update(key).digest();

function count(statuses: number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
