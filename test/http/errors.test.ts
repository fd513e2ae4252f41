import { expect, test } from "bun:test";
import { tooManyRequests } from "../../src/http/errors.ts";

test("a refusal of the open limit says when to come back, a second being one", () => {
  for (const [seconds, end] of [
    [1, "Try again in 1 second."],
    [2, "Try again in 2 seconds."],
    [60, "Try again in 60 seconds."],
  ] as const) {
    const { error } = JSON.parse(String(tooManyRequests(seconds).body));
    expect(error).toEndWith(end);
  }
});
