import { expect, test } from "bun:test";
import { batched } from "../../src/store/batches.ts";
import { DeadlineError } from "../../src/store/deadline.ts";

const turn = () => new Promise(setImmediate);

test("items that arrive while the maximum of batches is in flight wait, are sent together, and get their own answers", async () => {
  const sent: { items: number[]; answer(): void }[] = [];
  const ask = batched(
    (items: number[]) =>
      new Promise<string[]>((resolve) => {
        sent.push({ items, answer: () => resolve(items.map((item) => `answer ${item}`)) });
      }),
    { batchSize: 4, concurrency: 2 },
  );
  const askAll = (items: number[]) => Promise.all(items.map((item) => ask(item)));

  const first = askAll([1, 2]);
  await turn();
  const second = askAll([3, 4, 5, 6]);
  const third = askAll([7, 8, 9, 10, 11]);
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4, 5, 6],
  ]);

  sent[0]?.answer();
  expect(await first).toEqual(["answer 1", "answer 2"]);
  expect(sent.slice(2).map(({ items }) => items)).toEqual([[7, 8, 9, 10]]);
  for (const { answer } of sent) answer();
  expect(await second).toEqual(["answer 3", "answer 4", "answer 5", "answer 6"]);
  await turn();
  for (const { answer } of sent) answer();
  expect(await third).toEqual([7, 8, 9, 10, 11].map((item) => `answer ${item}`));
});

test("waiting items are sent in the order of their deadlines", async () => {
  const sent: number[][] = [];
  const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
  const distant = performance.now() + 60_000;
  const ask = batched(
    async (items: number[]) => {
      sent.push(items);
      await end;
      return items;
    },
    { batchSize: 2, concurrency: 1, deadlineOf: (item) => distant + item },
  );
  const asked = Promise.all([9, 8, 5, 3, 7, 4].map(ask));
  await turn();
  endFirst();
  expect(await asked).toEqual([9, 8, 5, 3, 7, 4]);
  expect(sent).toEqual([
    [8, 9],
    [3, 4],
    [5, 7],
  ]);
});

test("a failed batch fails for all its items, and frees its slot", async () => {
  const { promise: failure, reject: fail } = Promise.withResolvers<never>();
  const ask = batched(
    (items: string[]) => (items.includes("wrong") ? failure : Promise.resolve(items)),
    { batchSize: 2, concurrency: 1 },
  );
  const asked = Promise.allSettled(["wrong", "right", "next"].map(ask));
  await turn();
  fail("no such thing");
  expect(await asked).toEqual([
    { status: "rejected", reason: "no such thing" },
    { status: "rejected", reason: "no such thing" },
    { status: "fulfilled", value: "next" },
  ]);
});

test("items that have waited for too long fail when another arrives or a batch ends, and are never sent", async () => {
  const sent: string[][] = [];
  const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
  const ask = batched(
    async (items: string[]) => {
      sent.push(items);
      await end;
      return items;
    },
    { batchSize: 9, concurrency: 1, deadlineOf: () => performance.now() + 100 },
  );
  const failed = { status: "rejected", reason: expect.any(DeadlineError) };

  const first = ask("first");
  await turn();
  const early: Promise<unknown> = Promise.allSettled([ask("second"), ask("third")]);
  await Bun.sleep(120);
  const late: Promise<unknown> = Promise.allSettled([ask("fourth")]);
  expect(await early).toEqual([failed, failed]);

  await Bun.sleep(120);
  endFirst();
  expect(await first).toBe("first");
  expect(await late).toEqual([failed]);
  expect(await ask("fifth")).toBe("fifth");
  expect(sent).toEqual([["first"], ["fifth"]]);
});
