import { expect, test } from "bun:test";
import {
  internal,
  invalidParameter,
  notFound,
  tooManyRequests,
  unauthorized,
  unavailable,
} from "../../src/http/errors.ts";

test("a refusal of the open limit says when to come back, with 'second' in the singular for one", () => {
  for (const [seconds, end] of [
    [1, "Try again in 1 second."],
    [2, "Try again in 2 seconds."],
    [60, "Try again in 60 seconds."],
  ] as const) {
    const { error } = JSON.parse(String(tooManyRequests(seconds).body));
    expect(error).toEndWith(end);
  }
});

test("no error may be cached", () => {
  const invalid = invalidParameter({ parameter: "page", message: "page is wrong." });
  const errors = [invalid, notFound(), tooManyRequests(1), unavailable(), internal("1")];
  for (const { headers } of [...errors, unauthorized("missing"), unauthorized("invalid")]) {
    expect(headers).toMatchObject({ "Cache-Control": "no-store" });
  }
});
