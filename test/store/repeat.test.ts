import { expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { repeat } from "../../src/store/repeat.ts";

test("work is never done twice at once, and stopping waits for what is under way", async () => {
  let begun = 0;
  let done = 0;
  let endRun = () => {};
  const stop = repeat(1, async () => {
    begun++;
    await new Promise<void>((resolve) => {
      endRun = resolve;
    });
    done++;
    throw new Error("so that it goes on after a failure");
  });
  let turns = 0;
  const turn = setInterval(() => turns++, 1);
  /** Long enough for many runs. */
  const wait = async () => {
    const before = turns;
    await until(() => turns >= before + 20, 10_000);
  };

  await until(() => begun === 1, 10_000);
  await wait();
  expect(begun).toBe(1);
  endRun();
  await until(() => begun === 2, 10_000);

  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await wait();
  expect([isStopped, done]).toEqual([false, 1]);
  endRun();
  await stopped;
  await wait();
  expect([begun, done]).toEqual([2, 2]);
  clearInterval(turn);
});
