import { DeadlineError } from "./deadline.ts";

/**
 * Sends all items that arrive in one turn of the event loop as one batch; a full batch is sent without
 * waiting for the turn to end. While `concurrency` batches are in flight, items wait until one of them is
 * done, and are then sent together.
 * @param send returns the answers in the order of the items; when it throws, all items of the batch fail with
 *   that error
 * @param options.batchSize the most items in a batch
 * @param options.concurrency the most batches in flight; not to be combined with `apart`, which splits a
 *   batch into several
 * @param options.apart the group of an item: different groups are never sent in one batch
 * @param options.deadlineOf when an item has to be sent at the latest, on the clock of `performance`: one that has
 *   not been sent by then never is, and fails with DeadlineError when another arrives or a batch ends. Waiting items
 *   go in the order of their deadlines; without any, in order of arrival
 */
export function batched<Item, Answer>(
  send: (items: Item[]) => Promise<readonly Answer[]>,
  {
    batchSize,
    concurrency = Number.POSITIVE_INFINITY,
    apart,
    deadlineOf,
  }: {
    batchSize: number;
    concurrency?: number;
    apart?: ((item: Item) => string) | undefined;
    deadlineOf?: (item: Item) => number;
  },
): (item: Item) => Promise<Answer> {
  /** In the order in which they are sent. */
  const gathered: Waiting<Item, Answer>[] = [];
  let underWay = 0;

  function dispatch() {
    if (underWay >= concurrency) return;
    dropLate();
    if (gathered.length === 0) return;
    const all = gathered.splice(0, batchSize);
    const batches = apart ? Map.groupBy(all, ({ item }) => apart(item)).values() : [all];
    for (const batch of batches) answer(batch);
  }

  function dropLate() {
    const now = performance.now();
    while (gathered[0] && gathered[0].deadline < now) {
      gathered.shift()?.reject(new DeadlineError("its turn came too late"));
    }
  }

  function answer(batch: Waiting<Item, Answer>[]) {
    underWay++;
    send(batch.map(({ item }) => item)).then(
      (answers) => {
        end();
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
      },
      (error) => {
        end();
        for (const { reject } of batch) reject(error);
      },
    );
  }

  function end() {
    const wereAll = underWay === concurrency;
    underWay--;
    // Items wait for a batch to end only while `concurrency` is reached. Others go at the end of their turn.
    if (wereAll) dispatch();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // Now, too: while no batch ends, they would pile up.
      dropLate();
      const deadline = deadlineOf?.(item) ?? Number.POSITIVE_INFINITY;
      const isInOrder = (gathered.at(-1)?.deadline ?? deadline) <= deadline;
      gathered.push({ item, deadline, resolve, reject });
      if (!isInOrder) gathered.sort((a, b) => a.deadline - b.deadline);
      if (gathered.length >= batchSize) dispatch();
      // Not a microtask: each request arrives in a task of its own, and microtasks run before the next task,
      // so no two requests would ever share a batch.
      else if (gathered.length === 1) setImmediate(dispatch);
    });
}

interface Waiting<Item, Answer> {
  item: Item;
  /** On the clock of `performance`. */
  deadline: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
