/**
 * Gathers all items that arrive in one turn of the event loop and sends them at once, in order of
 * arrival; a full batch goes without waiting for the turn to end.
 * @param send answers each item in its place; when it throws, all that it was given fail with that
 * @param options.limit the most items of a batch
 * @param options.apart items for which it says different things are sent apart
 */
export function batched<Item, Answer>(
  send: (items: Item[]) => Promise<readonly Answer[]>,
  { limit, apart }: { limit: number; apart?: ((item: Item) => string) | undefined },
): (item: Item) => Promise<Answer> {
  let gathered: Waiting<Item, Answer>[] = [];

  function dispatch() {
    const all = gathered;
    gathered = [];
    if (all.length === 0) return;
    const batches = apart ? Map.groupBy(all, ({ item }) => apart(item)).values() : [all];
    for (const batch of batches) answer(batch);
  }

  function answer(batch: Waiting<Item, Answer>[]) {
    send(batch.map(({ item }) => item)).then(
      (answers) => {
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      if (gathered.length >= limit) dispatch();
      // Not a microtask: each request comes in a task of its own, and the turn is all of them.
      else if (gathered.length === 1) setImmediate(dispatch);
    });
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
