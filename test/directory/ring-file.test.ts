import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { RingFile } from "../../src/directory/ring-file.ts";

const SIZE = 1_000;
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ring-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function withFile(use: (file: RingFile) => void, { mostNames = 1_000 } = {}): void {
  const file = new RingFile(folder, { size: SIZE, mostNames });
  try {
    use(file);
  } finally {
    file.close();
  }
}

test("has under each name what was set last, or nothing, and always what was set just now", () => {
  const name = fc.constantFrom(...names);
  const byte = fc.integer({ min: 0, max: 255 });
  const step = fc.oneof(
    fc.record({
      does: fc.constant("set" as const),
      name,
      length: fc.integer({ min: 0, max: 400 }),
      byte,
    }),
    fc.record({ does: fc.constant("overwrite" as const), name, byte }),
    fc.record({ does: fc.constant("get" as const), name }),
    fc.record({ does: fc.constant("delete" as const), name }),
    fc.record({ does: fc.constant("clear" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      withFile((file) => {
        const last = new Map<string, Uint8Array<ArrayBuffer>>();
        for (const step of steps) {
          if (step.does === "set") {
            const bytes = new Uint8Array(step.length).fill(step.byte);
            file.set(step.name, bytes);
            last.set(step.name, bytes);
            expect(file.get(step.name)).toEqual(Buffer.from(bytes));
          } else if (step.does === "overwrite") {
            const start = new Uint8Array(Math.min(4, last.get(step.name)?.length ?? 0));
            file.overwrite(step.name, start.fill(step.byte));
            last.get(step.name)?.set(start);
          } else if (step.does === "clear") {
            file.clear();
            last.clear();
          } else if (step.does === "delete") {
            file.delete(step.name);
            last.delete(step.name);
          }
          // Not all of them, for what is read stays longer.
          for (const name of names.filter((name) => "name" in step && name <= step.name)) {
            const found = file.get(name);
            if (found) expect(found).toEqual(Buffer.from(last.get(name) ?? []));
          }
        }
      });
    }),
    { numRuns: 500 },
  );
});

const filled = (byte: number) => Buffer.alloc(100, byte);
const all = Array.from({ length: 100 }, (_, number) => number);
const keptIn = (file: RingFile) => all.filter((number) => file.get(`${number}`));

test("keeps as many as fit, and of more the latest", () => {
  withFile((file) => {
    for (const number of all) file.set(`${number}`, filled(number));
    expect(keptIn(file)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  });
});

test("keeps no more than so many, however small they are", () => {
  withFile(
    (file) => {
      for (const number of all) file.set(`${number}`, new Uint8Array(1));
      expect(keptIn(file)).toEqual([97, 98, 99]);
    },
    { mostNames: 3 },
  );
});

test("what is read from time to time outlives what is not", () => {
  withFile((file) => {
    file.set("wanted", filled(7));
    for (const number of all) {
      file.set(`${number}`, filled(number));
      if (number % 5 === 0) expect(file.get("wanted")).toEqual(filled(7));
    }
  });
});

test("takes nothing that is larger than itself, and forgets what had its name", () => {
  withFile((file) => {
    file.set("large", new Uint8Array(10));
    file.set("other", new Uint8Array(10));
    file.set("large", new Uint8Array(SIZE + 1));
    expect(file.get("large")).toBeUndefined();
    expect(file.get("other")).toBeDefined();
  });
});

test("leaves nothing in its folder, and takes nothing once it is closed", () => {
  const file = new RingFile(folder, { size: SIZE, mostNames: 10 });
  expect(readdirSync(folder)).toEqual([]);
  file.close();
  withFile((other) => {
    other.set("x", filled(1));
    file.set("y", filled(2));
    expect(file.get("y")).toBeUndefined();
    expect(other.get("x")).toEqual(filled(1));
  });
});
