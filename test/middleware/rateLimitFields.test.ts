import { expect, test } from "bun:test";
import type { ApiKey } from "../../src/access/keys.ts";
import { rateLimitFields } from "../../src/middleware/rateLimitFields.ts";

const key: ApiKey = {
  id: "k",
  meterId: "k",
  tier: "developer",
  quota: 1000,
  perMinute: 60,
  burst: 60,
};
const reading = {
  month: "2028-02",
  used: 1,
  monthEndsInSeconds: 86_400,
  tokensLeft: 59,
  nextTokenInSeconds: 1,
};

test("an admitted request: both policies, and their current state", () => {
  expect(rateLimitFields(key, reading)).toEqual({
    // February 2028 has 29 days.
    "RateLimit-Policy": '"permin";q=60;w=60, "month";q=1000;w=2505600',
    RateLimit: '"permin";r=59;t=1, "month";r=999;t=86400',
  });
});

test("the window of a month has the length of that month, also in December", () => {
  const december = { ...reading, month: "2026-12" };
  expect(rateLimitFields(key, december)["RateLimit-Policy"]).toContain(`w=${31 * 86_400}`);
});

test("a burst other than the rate is shown, smaller or larger", () => {
  for (const burst of [5, 200]) {
    const fields = rateLimitFields({ ...key, burst }, reading);
    expect(fields["RateLimit-Policy"]).toStartWith(
      `"permin";q=60;w=60;highstreet-burst=${burst}, "month"`,
    );
  }
});

test("an empty bucket: r=0, and t is the time until the next token", () => {
  const empty = { ...reading, tokensLeft: 0, nextTokenInSeconds: 7 };
  expect(rateLimitFields(key, empty).RateLimit).toBe('"permin";r=0;t=7, "month";r=999;t=86400');
});

test("a used-up quota: r=0, never less, also after a downgrade", () => {
  for (const used of [1000, 5000]) {
    const fields = rateLimitFields(key, { ...reading, used });
    expect(fields.RateLimit).toBe('"permin";r=59;t=1, "month";r=0;t=86400');
  }
});

test("both fields are lists of strings with integer parameters (RFC 9651)", () => {
  const item = String.raw`"[a-z]+"(?:;[a-z][a-z-]*=\d{1,15})+`;
  const list = new RegExp(`^${item}(?:, ${item})*$`);
  const fields = rateLimitFields({ ...key, burst: 5 }, reading);
  for (const value of Object.values(fields)) expect(value).toMatch(list);
});
