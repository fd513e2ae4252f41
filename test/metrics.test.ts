import { afterAll, expect, test } from "bun:test";
import { version } from "../package.json" with { type: "json" };
import { until } from "../scripts/stack/waiting.ts";
import { start } from "../src/main.ts";
import { openProxy } from "./proxy.ts";
import { delayedBy, logInto, startTestServer, stores } from "./support.ts";

const server = await startTestServer();
afterAll(async () => {
  await server.stop();
});

const scrape = (headers: Record<string, string> = {}) =>
  fetch(`${server.url}/metrics`, { headers });

/** Includes the server, which runs in the process of this test. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

test("metrics come in the text format of Prometheus", async () => {
  const cpuBefore = cpuSeconds();
  const response = await scrape();
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const lines = (await response.text()).split("\n");
  expect(lines).toContain("highstreet_admission_local 0");
  expect(lines).toContain("# TYPE highstreet_admission_outages_total counter");
  expect(lines).toContain("highstreet_admission_outages_total 0");
  expect(lines).toContain("highstreet_processes 1");
  expect(lines).toContain(`highstreet_build_info{version="${version}",bun="${Bun.version}"} 1`);
  const sample = (name: string) =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
  expect(sample("process_resident_memory_bytes") / process.memoryUsage.rss()).toBeWithin(0.5, 2);
  expect(sample("process_cpu_seconds_total")).toBeGreaterThanOrEqual(cpuBefore);
  expect(sample("process_cpu_seconds_total")).toBeLessThanOrEqual(cpuSeconds());
  expect(sample("process_start_time_seconds")).toBeCloseTo(performance.timeOrigin / 1000, 0);
});

test("each scrape is current", async () => {
  const cpu = async () =>
    Number(/^process_cpu_seconds_total (.+)$/m.exec(await (await scrape()).text())?.[1]);
  const before = await cpu();
  const end = cpuSeconds() + 0.02;
  while (cpuSeconds() < end);
  const after = await cpu();
  expect(after).toBeGreaterThanOrEqual(before + 0.02);
  expect(after).toBeLessThanOrEqual(cpuSeconds());
});

test("answers are counted by route and status", async () => {
  const count = async (route: string, status: number) => {
    const sample = `highstreet_http_requests_total{route="${route}",status="${status}"} `;
    const lines = (await (await scrape()).text()).split("\n");
    return Number(lines.find((line) => line.startsWith(sample))?.slice(sample.length) ?? 0);
  };
  const slug = "/api/v1/businesses/:slug";
  const before = await Promise.all([count(slug, 404), count("*", 404)]);
  for (const path of ["/api/v1/businesses/a", "/api/v1/businesses/b", "/nowhere"]) {
    await fetch(server.url + path);
  }
  expect(await Promise.all([count(slug, 404), count("*", 404)])).toEqual([
    (before[0] ?? 0) + 2,
    (before[1] ?? 0) + 1,
  ]);
});

test("a fault outside of the middleware is logged and answered with 500, which is counted, too", async () => {
  const told: unknown[] = [];
  const faulty = await start(server.config, {
    log: logInto(told, "requestId"),
    upkeep: false,
    // No body can be made of it.
    scrape: async () => undefined as unknown as string,
  });
  const response = await fetch(`${faulty.url}/metrics`);
  expect([response.status, await response.json()]).toMatchObject([500, { error: "internal" }]);
  expect(told).toContain(response.headers.get("X-Request-Id"));
  expect(await faulty.metrics.metrics()).toContain(
    'highstreet_http_requests_total{route="/metrics",status="500"} 1',
  );
  await faulty.stop();
});

test("refusals are counted by the limit that refused", async () => {
  const read = async () => {
    const samples = (await (await scrape()).text()).matchAll(
      /^highstreet_refusals_total\{limit="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries(Array.from(samples, ([, limit, count]) => [limit, Number(count)]));
  };
  const limits = { tier: "enterprise", quota: 100, perMinute: 60, burst: 60 };
  const empty = await server.issueKey({ ...limits, perMinute: 1, burst: 1 });
  const usedUp = await server.issueKey({ ...limits, quota: 1 });
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/api/v1/businesses`, { headers })).status;
  const before = await read();
  for (const key of [empty, usedUp]) {
    const headers = { Authorization: `Bearer ${key}` };
    expect([await ask(headers), await ask(headers)]).toEqual([200, 429]);
  }
  const open = { "X-Forwarded-For": "203.0.113.77" };
  const statuses = await Promise.all(Array.from({ length: 62 }, () => ask(open)));
  expect(statuses.filter((status) => status === 429).length).toBe(2);
  expect(await read()).toEqual({
    open: (before.open ?? 0) + 2,
    rate_limited: (before.rate_limited ?? 0) + 1,
    quota_exceeded: (before.quota_exceeded ?? 0) + 1,
  });
});

test("how long answers take is counted by route, each in all buckets that it fits", async () => {
  const read = async () => {
    const text = await (await scrape()).text();
    expect(text).toContain("\n# TYPE highstreet_http_request_duration_seconds histogram\n");
    const samples = text.matchAll(
      /^highstreet_http_request_duration_seconds_(\w+)\{route="\/api\/v1\/businesses\/:slug"(?:,le="(.+)")?\} (.+)$/gm,
    );
    return Array.from(
      samples,
      ([, kind = "", bound = kind, value]) => [bound, Number(value)] as const,
    );
  };
  const ask = () => fetch(`${server.url}/api/v1/businesses/${crypto.randomUUID()}`);
  await ask();
  const before = new Map(await read());
  const began = performance.now();
  await delayedBy(server.sql, (holding) => holding`lock table businesses`, ask, {
    meanwhile: () => Bun.sleep(120),
  });
  const longest = (performance.now() - began) / 1000;
  const gained = (await read()).map(([name, value]) => [name, value - (before.get(name) ?? 0)]);
  const { sum = 0, ...counts } = Object.fromEntries(gained);
  expect(sum).toBeWithin(0.1, longest);
  const bounds = ["0.0005", "0.001", "0.0025", "0.01", "0.025", "0.1", "0.25", "1", "2.5", "5"];
  const fits = bounds.map((bound) => [bound, sum <= Number(bound) ? 1 : 0]);
  expect(counts).toEqual({ ...Object.fromEntries(fits), "+Inf": 1, count: 1 });
});

test("failing upkeep is reported by task, until it works again", async () => {
  const search = await openProxy(new URL(stores().meiliUrl));
  const other = await startTestServer({ meiliUrl: search.url });
  const { sql } = other;
  const failing = async () => {
    const text = await (await fetch(`${other.url}/metrics`)).text();
    const samples = text.matchAll(/^highstreet_upkeep_failing\{task="(\w+)"\} ([01])$/gm);
    return Object.fromEntries([...samples].map(([, task, value]) => [task, value]));
  };
  /** Waits until exactly these tasks fail. */
  const tells = (...tasks: string[]) =>
    until(async () => {
      const values = Object.entries(await failing());
      expect(values).toHaveLength(5);
      return Bun.deepEquals(
        values.filter(([, value]) => value === "1").map(([task]) => task),
        tasks,
      );
    }, 15_000);
  const Authorization = `Bearer ${await other.issueKey({ tier: "developer" })}`;
  const ask = () =>
    fetch(`${other.url}/api/v1/businesses?city=leeds`, { headers: { Authorization } });
  expect((await ask()).status).toBe(200);
  await tells();

  await search.cut();
  await sql`notify directory_changed`;
  await tells("search");
  await search.mend();
  await tells();

  await sql`alter table usage rename to usage_away`;
  expect((await ask()).status).toBe(200);
  await tells("usage");
  await sql`alter table usage_away rename to usage`;
  await tells();

  await sql`alter table listing_counts rename to listing_counts_away`;
  await tells("totals");
  await sql`alter table listing_counts_away rename to listing_counts`;
  await tells();

  await sql`alter table keys_version rename to keys_version_away`;
  await tells("keys");
  await sql`alter table keys_version_away rename to keys_version`;
  await tells();
  await other.stop();
  await search.close();
});

test("the public cannot read metrics, through whatever proxies", async () => {
  // The client is the last address that is not a proxy's; 203.0.113.9 may claim anything before that.
  for (const chain of ["203.0.113.9", "10.0.0.1, 203.0.113.9", "10.0.0.1", "nobody"]) {
    const response = await scrape({ "X-Forwarded-For": chain });
    expect([chain, response.status, await response.json()]).toEqual([
      chain,
      404,
      { error: "not_found" },
    ]);
  }
});

test("metrics are not for a request that a proxy forwards without the caller's address", async () => {
  for (const headers of [
    { Forwarded: "proto=https" },
    { Via: "1.1 proxy" },
    { "X-Real-IP": "10.0.0.1" },
  ]) {
    expect((await scrape(headers as Record<string, string>)).status).toBe(404);
  }
});

test("scrapes are not counted against any limit", async () => {
  for (let request = 0; request < 70; request++) expect((await scrape()).status).toBe(200);
  expect((await fetch(`${server.url}/api/v1/businesses`)).status).toBe(200);
});

test("metrics are served on the IPv6 loopback address as well", async () => {
  await using other = await startTestServer({ host: "::1" });
  expect((await fetch(`${other.url}/metrics`)).status).toBe(200);
});
