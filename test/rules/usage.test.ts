import { afterAll, expect } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import type { UsageReport } from "../../src/access/usage-report.ts";
import { startTestServer, testInOneMonth as test } from "../support.ts";

// GET /api/v1/usage, and what decides about admission.

const server = await startTestServer();
afterAll(() => server.stop());

const ask = (path: string, key?: string) =>
  fetch(server.url + path, { headers: key ? { Authorization: `Bearer ${key}` } : {} });

test("usage reports the state of the key, and is free", async () => {
  const key = await server.issueKey({ tier: "enterprise", quota: 10, perMinute: 2, burst: 5 });
  await ask("/api/v1/businesses", key);
  await ask("/api/v1/businesses", key);
  const now = new Date();
  const expected = {
    data: {
      tier: "enterprise",
      month: now.toISOString().slice(0, 7),
      quota: 10,
      used: 2,
      remaining: 8,
      resetsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
      perMinute: 2,
      burst: 5,
      tokensLeft: 3,
    },
  };
  for (let look = 0; look < 20; look++) {
    const response = await ask("/api/v1/usage", key);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toEqual(expected);
  }
  expect(await server.used(key)).toBe(2);
});

test("usage is answered while the bucket is empty and the quota used up", async () => {
  const key = await server.issueKey({ tier: "enterprise", quota: 1, perMinute: 1, burst: 1 });
  await ask("/api/v1/businesses", key);
  expect((await ask("/api/v1/businesses", key)).status).toBe(429);
  expect(await (await ask("/api/v1/usage", key)).json()).toMatchObject({
    data: { used: 1, remaining: 0, tokensLeft: 0 },
  });
});

test("after a tier is lowered below what was used, the remainder is 0, never negative", async () => {
  const key = await server.issueKey({ tier: "starter" });
  const usage = async () =>
    ((await (await ask("/api/v1/usage", key)).json()) as { data: UsageReport }).data;
  const setQuota = async (quota: number) => {
    await server.sql`update tiers set monthly_quota = ${quota} where slug = 'starter'`;
    await until(async () => (await usage()).quota === quota, 1_000);
  };
  await setQuota(10_000);
  for (let request = 0; request < 3; request++) await ask("/api/v1/businesses", key);
  await setQuota(2);
  expect(await usage()).toMatchObject({ quota: 2, used: 3, remaining: 0 });
});

test("charges are soon in PostgreSQL", async () => {
  const key = await server.issueKey({ tier: "developer" });
  for (let request = 0; request < 3; request++) await ask("/api/v1/businesses", key);
  const stored = async () => {
    const [row] = await server.sql`
      select sum(used)::integer as used from usage
      where meter_id = (select meter_id from api_keys order by created_at desc limit 1)`;
    return row?.used ?? 0;
  };
  // Within a second when nothing delays it.
  await until(async () => (await stored()) === 3, 5_000);
});

test("healthz says whether Redis or the process decides", async () => {
  expect(await (await ask("/healthz")).json()).toMatchObject({
    status: "ok",
    admission: { decidedBy: "redis", outages: 0 },
  });
});
