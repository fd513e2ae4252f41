import { afterAll, expect, test } from "bun:test";
import { createWindow } from "../../src/access/windows.ts";
import { ok } from "../../src/http/answer.ts";
import { admitVisitor } from "../../src/middleware/admitVisitor.ts";
import { createContext, freshRedis, silent } from "../support.ts";

const redis = (await freshRedis()).client;
afterAll(() => redis.disconnect());

const context = createContext("198.51.100.1");

/** A page that a visitor may see once in so many seconds. */
function page(seconds: number, store = redis) {
  const window = createWindow(store, { name: `pages-${seconds}`, limit: 1, seconds });
  const handler = admitVisitor(window, silent)(() => ok("a page"));
  return () => handler(new Request("http://localhost/"), context);
}

test("a refused visitor is told when to come back, with 'second' in the singular for one", async () => {
  for (const [seconds, advice] of [
    [1, /^Too many pages in a short time\. Try again in (1) second\.$/],
    [60, /^Too many pages in a short time\. Try again in (59|60) seconds\.$/],
  ] as const) {
    const look = page(seconds);
    let answer = await look();
    expect(answer.status).toBe(200);
    while (answer.status === 200) answer = await look();
    expect(answer.status).toBe(429);
    const [, wait] = advice.exec(JSON.parse(String(answer.body)).message) ?? [];
    expect(wait).toBe(answer.headers["Retry-After"] as string);
  }
});

test("while Redis is away everybody is admitted", async () => {
  const away = (await freshRedis()).client;
  away.disconnect();
  const look = page(60, away);
  for (let again = 0; again < 3; again++) expect(await look()).toMatchObject({ status: 200 });
});
