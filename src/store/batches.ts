/**
 * Gathers all items that arrive in one turn of the event loop and sends them at once, in order of
 * arrival; a full batch goes without waiting for the turn to end. While as many batches as may be are
 * under way, items wait for one of them, and those that come meanwhile go with them.
 * @param send answers each item in its place; when it throws, all that it was given fail with that
 * @param options.batchSize the most items of a batch
 * @param options.concurrency the most batches under way; not for items that are sent apart
 * @param options.apart items for which it says different things are sent apart
 */
export function batched<Item, Answer>(
  send: (items: Item[]) => Promise<readonly Answer[]>,
  {
    batchSize,
    concurrency = Number.POSITIVE_INFINITY,
    apart,
  }: { batchSize: number; concurrency?: number; apart?: ((item: Item) => string) | undefined },
): (item: Item) => Promise<Answer> {
  const gathered: Waiting<Item, Answer>[] = [];
  let underWay = 0;

  function dispatch() {
    if (gathered.length === 0 || underWay >= concurrency) return;
    const all = gathered.splice(0, batchSize);
    const batches = apart ? Map.groupBy(all, ({ item }) => apart(item)).values() : [all];
    for (const batch of batches) answer(batch);
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
    // Others are sent at the end of their turn.
    if (wereAll) dispatch();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      if (gathered.length >= batchSize) dispatch();
      // Not a microtask: each request comes in a task of its own, and the turn is all of them.
      else if (gathered.length === 1) setImmediate(dispatch);
    });
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
