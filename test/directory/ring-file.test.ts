import { expect, test } from "bun:test";
import fc from "fast-check";
import { RingFile } from "../../src/directory/ring-file.ts";

const SIZE = 1_000;
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

test("has under each name what was set last, or nothing, and always what was set just now", () => {
  const step = fc.oneof(
    fc.record({
      does: fc.constant("set" as const),
      name: fc.constantFrom(...names),
      length: fc.integer({ min: 0, max: 400 }),
      fill: fc.integer({ min: 0, max: 255 }),
    }),
    fc.record({ does: fc.constant("get" as const), name: fc.constantFrom(...names) }),
    fc.record({ does: fc.constant("delete" as const), name: fc.constantFrom(...names) }),
    fc.record({ does: fc.constant("clear" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const file = new RingFile(SIZE);
      const last = new Map<string, Uint8Array>();
      for (const step of steps) {
        if (step.does === "set") {
          const bytes = new Uint8Array(step.length).fill(step.fill);
          file.set(step.name, bytes);
          last.set(step.name, bytes);
          expect(file.get(step.name)).toEqual(bytes);
        } else if (step.does === "clear") {
          file.clear();
          last.clear();
        } else if (step.does === "delete") {
          file.delete(step.name);
          last.delete(step.name);
        }
        for (const name of names.filter((name) => "name" in step && name <= step.name)) {
          const found = file.get(name);
          if (found) expect(found).toEqual(last.get(name) as Uint8Array<ArrayBuffer>);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("keeps as many as fit, and of more the latest", () => {
  const file = new RingFile(SIZE);
  for (let number = 0; number < 100; number++) file.set(`${number}`, new Uint8Array(95));
  const kept = Array.from({ length: 100 }, (_, number) => number).filter((number) =>
    file.get(`${number}`),
  );
  expect(kept).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
});

test("what is read from time to time outlives what is not", () => {
  const file = new RingFile(SIZE);
  file.set("wanted", new Uint8Array(95).fill(7));
  for (let number = 0; number < 100; number++) {
    file.set(`${number}`, new Uint8Array(95));
    if (number % 5 === 0) expect(file.get("wanted")).toEqual(new Uint8Array(95).fill(7));
  }
});

test("takes nothing that is larger than itself, and forgets what had its name", () => {
  const file = new RingFile(SIZE);
  file.set("large", new Uint8Array(10));
  file.set("other", new Uint8Array(10));
  file.set("large", new Uint8Array(SIZE + 1));
  expect(file.get("large")).toBeUndefined();
  expect(file.get("other")).toBeDefined();
});
