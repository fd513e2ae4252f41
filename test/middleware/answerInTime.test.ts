import { expect, test } from "bun:test";
import type { Answer } from "../../src/http/answer.ts";
import { errorAnswer, notFound } from "../../src/http/errors.ts";
import { answerInTime } from "../../src/middleware/answerInTime.ts";
import { DeadlineError } from "../../src/store/deadline.ts";
import { createContext } from "../support.ts";

const request = new Request("http://localhost/");

test("while too many abandoned answers are still being made, no other is begun", async () => {
  const slow = Promise.withResolvers<Answer>();
  let begun = 0;
  const handler = answerInTime({ mostLate: 2 })(() => {
    begun += 1;
    return slow.promise;
  });
  const ask = async () => handler(request, createContext());
  const late = await Promise.allSettled([ask(), ask()]);
  expect(late.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(ask()).rejects.toThrow(DeadlineError);
  expect(begun).toBe(2);
  slow.resolve(notFound());
  await slow.promise;
  expect(await ask()).toEqual(notFound());
});

test("an answer that fails before the deadline is not late", async () => {
  const handler = answerInTime({ mostLate: 1 })(async () => {
    throw new DeadlineError("no answer of a store");
  });
  for (let time = 0; time < 3; time++) {
    await expect((async () => handler(request, createContext()))()).rejects.toThrow("of a store");
  }
});

test("a synchronous answer is returned at once", () => {
  const answer = errorAnswer("missing");
  expect(answerInTime()(() => answer)(request, createContext())).toBe(answer);
});
