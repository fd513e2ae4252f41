import { afterAll, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { openProxy } from "../proxy.ts";
import { createDatabase, freshRedis, startTestServer } from "../support.ts";

// Applying during an outage of a store: nothing that was typed is lost.

const [database, cache] = await Promise.all([createDatabase(), freshRedis()]);
cache.client.disconnect();
const [postgres, redis] = await Promise.all([
  openProxy(new URL(database.url)),
  openProxy(new URL(cache.url)),
]);
const server = await startTestServer({ databaseUrl: postgres.url, redisUrls: [redis.url] });
afterAll(async () => {
  await Promise.all([postgres.mend(), redis.mend()]);
  await server.stop();
  await Promise.all([postgres.close(), redis.close()]);
  await database.drop();
});

const typed = { name: "Ada Shah", email: "ada@map.example", purpose: "A map\nof bakeries" };

async function apply() {
  const response = await fetch(`${server.url}/developers/applications`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(typed),
    headers: { Accept: "text/html", Origin: server.url, "X-Forwarded-For": "10.4.0.1" },
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

async function expectFormBack() {
  const { status, headers, html } = await apply();
  expect(status).toBe(503);
  expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(headers.get("Cache-Control")).toBe("private, no-cache");
  expect(html).toContain("part of the service is temporarily unavailable");
  expect(html).toContain('value="Ada Shah"');
  expect(html).toContain('value="ada@map.example"');
  expect(html).toContain("A map\nof bakeries</textarea>");
}

const isTaken = async () => (await apply()).status === 303;

test("with PostgreSQL cut off, the form comes back as it was, and works once that is back", async () => {
  await postgres.cut();
  // More than a client's five an hour: applications that are not accepted do not count.
  for (let tries = 0; tries < 6; tries++) await expectFormBack();
  await postgres.mend();
  await until(isTaken, 10_000);
}, 60_000);

test("with PostgreSQL's disk full, the form comes back as it was, and works once there is room", async () => {
  await database.sql.unsafe(`
    create function find_disk_full() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$;
    create trigger find_disk_full before insert on applications execute function find_disk_full()`);
  await expectFormBack();
  await database.sql`drop function find_disk_full cascade`;
  await until(isTaken, 10_000);
});

test("with PostgreSQL not answering, the form comes back in time, however many pages are late", async () => {
  postgres.hold();
  const pages = Array.from({ length: 110 }, async (_, place) => {
    const from = { "X-Forwarded-For": `10.4.1.${place}` };
    return (await fetch(`${server.url}/cities`, { headers: from })).status;
  });
  expect(new Set(await Promise.all(pages))).toEqual(new Set([503]));
  const begun = performance.now();
  await expectFormBack();
  expect(performance.now() - begun).toBeLessThan(10_000);
  await postgres.mend();
});

test("with Redis cut off, the form comes back as it was, and works once that is back", async () => {
  await redis.cut();
  await expectFormBack();
  await redis.mend();
  await until(isTaken, 10_000);
});
