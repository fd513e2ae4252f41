import { expect, test } from "bun:test";
import { readdirSync, truncateSync } from "node:fs";
import fc from "fast-check";
import { RingFile, Slot } from "../../src/directory/ring-file.ts";
import { keptFiles, newFolder } from "../support.ts";

const SIZE = 1_000;
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

const folder = await newFolder();

/** A slot with the bytes it should hold. */
class Expected extends Slot {
  readonly bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = Buffer.from(bytes);
  }
}

/** A ring file used by names alone. */
class Bytes {
  readonly file: RingFile<Expected>;

  constructor(mostNames: number) {
    this.file = new RingFile(folder, { size: SIZE, mostNames });
  }

  set(name: string, bytes: Uint8Array): void {
    this.file.set(name, bytes, new Expected(bytes));
  }

  get(name: string): Buffer | undefined {
    const kept = this.file.get(name);
    if (!kept) return undefined;
    const [from, to] = [kept.length >> 1, kept.length];
    const part = Buffer.from(this.file.read(kept, from) ?? "lost");
    expect(part).toEqual(kept.bytes.subarray(from, to));
    const bytes = Buffer.from(this.file.read(kept) ?? "lost");
    expect(bytes).toEqual(kept.bytes);
    return bytes;
  }
}

function withFile(use: (bytes: Bytes) => void, { mostNames = 1_000 } = {}): void {
  const bytes = new Bytes(mostNames);
  try {
    use(bytes);
  } finally {
    bytes.file.close();
  }
}

test("has under each name the value set last, or nothing, and always the latest value set", () => {
  const name = fc.constantFrom(...names);
  const byte = fc.integer({ min: 0, max: 255 });
  const length = fc.oneof(fc.nat(400), fc.nat(40));
  const set = fc.record({ does: fc.constant("set" as const), name, length, byte });
  const get = fc.record({ does: fc.constant("get" as const), name });
  const remove = fc.record({ does: fc.constant("delete" as const), name });
  const clear = fc.record({ does: fc.constant("clear" as const) });
  const step = fc.oneof(
    { arbitrary: set, weight: 20 },
    { arbitrary: get, weight: 10 },
    { arbitrary: remove, weight: 5 },
    // Rarely, or it would never fill up.
    { arbitrary: clear, weight: 1 },
  );
  const mostNames = fc.constantFrom(4, 8, 1_000);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), mostNames, (steps, mostNames) => {
      const use = (file: Bytes) => {
        const last = new Map<string, Uint8Array<ArrayBuffer>>();
        for (const step of steps) {
          if (step.does === "set") {
            const bytes = Uint8Array.from({ length: step.length }, (_, place) => step.byte + place);
            file.set(step.name, bytes);
            last.set(step.name, bytes);
            expect(file.get(step.name)).toEqual(Buffer.from(bytes));
          } else if (step.does === "clear") {
            file.file.clear();
            last.clear();
          } else if (step.does === "delete") {
            file.file.delete(step.name);
            last.delete(step.name);
          }
          // Not all of them, since reading keeps a value longer.
          for (const name of names.filter((name) => "name" in step && name <= step.name)) {
            const found = file.get(name);
            if (found) expect(found).toEqual(Buffer.from(last.get(name) ?? []));
          }
        }
        for (const { size } of keptFiles()) expect(size).toBeLessThanOrEqual(SIZE);
      };
      withFile(use, { mostNames });
    }),
    { numRuns: 100 },
  );
});

const filled = (byte: number) => Buffer.alloc(100, byte);
const all = Array.from({ length: 100 }, (_, number) => number);
const keptIn = (file: Bytes) => all.filter((number) => file.get(`${number}`));

test("keeps as many as fit, and beyond that the latest", () => {
  withFile((file) => {
    for (const number of all) file.set(`${number}`, filled(number));
    expect(keptIn(file)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  });
});

test("a found value can still be read after `margin` more bytes have been written", () => {
  const file = new RingFile(folder, { size: SIZE, mostNames: 1_000, margin: 300 });
  try {
    for (const number of all) file.set(`${number}`, filled(number), new Slot());
    const found = all.flatMap((number) => file.get(`${number}`) ?? []);
    expect(found.length).toBe(7);
    for (const number of [1, 2, 3]) file.set(`later ${number}`, filled(number), new Slot());
    expect(found.map((slot) => file.read(slot)?.[0])).toEqual([93, 94, 95, 96, 97, 98, 99]);
  } finally {
    file.close();
  }
});

test("keeps no more than `mostNames` values, however small they are", () => {
  withFile(
    (file) => {
      for (const number of all) file.set(`${number}`, new Uint8Array(1));
      expect(keptIn(file)).toEqual([97, 98, 99]);
    },
    { mostNames: 3 },
  );
});

test("values that are read now and then outlive those that are not", () => {
  withFile((file) => {
    file.set("wanted", filled(7));
    for (const number of all) {
      file.set(`${number}`, filled(number));
      if (number % 5 === 0) expect(file.get("wanted")).toEqual(filled(7));
    }
  });
});

test("values that were read often are evicted once others are wanted instead", () => {
  withFile(({ file }: { file: RingFile<Slot> }) => {
    const small = new Uint8Array(SIZE / all.length);
    const set = (name: string) => file.set(name, small, new Slot());
    for (const number of all) set(`old ${number}`);
    for (const number of [...all, ...all]) file.get(`old ${number}`);
    for (const number of all) set(`${number}`);
    expect(all.filter((number) => !file.get(`${number}`))).toEqual([]);
  });
});

test("refuses a value larger than itself, and drops the old one of that name", () => {
  withFile((file) => {
    file.set("large", new Uint8Array(10));
    file.set("other", new Uint8Array(10));
    file.set("large", new Uint8Array(SIZE + 1));
    expect(file.get("large")).toBeUndefined();
    expect(file.get("other")).toBeDefined();
  });
});

test("a found value is read as it was, or not at all", () => {
  const length = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(
      fc.array(length, { minLength: 2, maxLength: 60 }),
      fc.nat(60),
      (lengths, cleared) => {
        withFile(({ file }) => {
          const got = lengths.map((length, number) => {
            if (number === cleared) file.clear();
            const bytes = new Uint8Array(length).fill(number);
            file.set(`${number % 5}`, bytes, new Expected(bytes));
            // Found before the others are set, whatever becomes of its name.
            return file.get(`${number % 5}`);
          });
          for (const kept of got) {
            if (!kept) throw new Error("was not there right after it had been set");
            const bytes = file.read(kept);
            if (bytes) expect(Buffer.from(bytes)).toEqual(kept.bytes);
          }
          const last = got.at(-1);
          if (last) expect(Buffer.from(file.read(last) ?? "lost")).toEqual(last.bytes);
        });
      },
    ),
  );
});

test("a found value stays readable until the ring has wrapped round to it", () => {
  withFile(({ file }: { file: RingFile<Slot> }) => {
    const set = (number: number) => file.set(`${number}`, filled(number), new Slot());
    set(0);
    const kept = file.get("0");
    if (!kept) throw new Error("was not there right after it had been set");
    // From here on its name has another value.
    file.delete("0");
    for (let number = 1; number < 10; number++) set(number);
    expect(Buffer.from(file.read(kept) ?? "lost")).toEqual(filled(0));
    file.set("10", new Uint8Array(1), new Slot());
    expect(file.read(kept)).toBeUndefined();
  });
});

test("values that are read now and then outlive the others, also at the maximum number", () => {
  withFile(
    (file) => {
      const wanted = Buffer.from([7]);
      file.set("wanted", wanted);
      for (const number of all) {
        expect(file.get("wanted")).toEqual(wanted);
        file.set(`${number}`, new Uint8Array(1));
      }
      expect(file.get("wanted")).toEqual(wanted);
      expect(keptIn(file)).toEqual([98, 99]);
    },
    { mostNames: 3 },
  );
});

test("whatever is found can be read, also after one value has been set very often", () => {
  withFile(
    (file) => {
      for (let number = 0; number < 6; number++) file.set(`old ${number}`, filled(number));
      for (let times = 0; times < 25; times++) file.set("often", Buffer.from([times]));
      for (let number = 0; number < 4; number++) file.set(`new ${number}`, filled(number));
      for (const number of [1, 2, 3]) expect(file.get(`old ${number}`)).toEqual(filled(number));
      for (let number = 4; number < 10; number++) {
        file.set(`new ${number}`, filled(number));
        expect(file.get("old 5") ?? filled(5)).toEqual(filled(5));
      }
    },
    { mostNames: 20 },
  );
});

test("does not hold on to values that have been replaced", async () => {
  const file = new RingFile<Slot>(folder, { size: 1_000_000, mostNames: 20 });
  for (let number = 0; number < 6; number++) file.set(`old ${number}`, filled(0), new Slot());
  const replaced = Array.from({ length: 10_000 }, (_, times) => {
    const slot = new Slot();
    file.set(`${times % 10}`, Buffer.from([7]), slot);
    return new WeakRef(slot);
  });
  // A WeakRef keeps its target until the turn in which it was made has ended.
  await Bun.sleep(0);
  Bun.gc(true);
  expect(replaced.filter((slot) => slot.deref()).length).toBeLessThan(1_000);
  file.close();
});

test("a value that cannot be moved is lost, and nothing else ever is", () => {
  withFile(({ file }: { file: RingFile<Slot> }) => {
    for (let number = 0; number < 10; number++) file.set(`old ${number}`, filled(0), new Slot());
    // The fifth is the first to be evicted, and four lie before it.
    for (const number of [0, 1, 2, 3]) file.get(`old ${number}`);
    for (const { path } of keptFiles()) truncateSync(path);
    const faults: unknown[] = [];
    for (const number of all) {
      try {
        file.set(`${number}`, filled(number), new Slot());
      } catch (error) {
        faults.push(error);
      }
    }
    expect(faults).toEqual(Array(4).fill(new Error("Only 0 of 100 bytes could be read.")));
    expect(all.filter((number) => file.get(`old ${number}`))).toEqual([]);
    for (let number = 90; number < 100; number++) {
      const kept = file.get(`${number}`);
      expect(kept && Buffer.from(file.read(kept) ?? "lost")).toEqual(filled(number));
    }
  });
});

test.skipIf(!Bun.which("prlimit"))("on a full disk it keeps using the space it has", () => {
  withFile((file) => {
    // As if the disk became full when the file has a little more than half its size.
    const kept = withLongestFile(SIZE / 2 + 50, () =>
      all.filter((number) => {
        try {
          file.set(`${number}`, filled(number));
          return true;
        } catch (error) {
          expect(String(error)).toContain("the disk is full");
          expect(keptIn(file)).toEqual([]);
          return false;
        }
      }),
    );
    // Each time it reaches that end, it starts over.
    expect(kept).toEqual(all.filter((number) => number % 6 !== 5));
    expect(keptIn(file)).toEqual([96, 97, 98, 99]);
  });
});

/** Runs `work` while this process cannot make a file longer than `bytes`. */
function withLongestFile<Result>(bytes: number, work: () => Result): Result {
  const limit = (...options: string[]) =>
    Bun.spawnSync(["prlimit", `--pid=${process.pid}`, ...options])
      .stdout.toString()
      .trim();
  const before = limit("--fsize", "--output=SOFT", "--noheadings");
  limit(`--fsize=${bytes}:`);
  try {
    return work();
  } finally {
    limit(`--fsize=${before}:`);
  }
}

test("values may have any length", () => {
  const file = new RingFile<Slot>(folder, { size: 1_000_000, mostNames: 10 });
  for (const length of [65_536, 65_537, 131_072, 131_073, 300_000]) {
    const bytes = Buffer.alloc(length, length % 251);
    file.set("x", bytes, new Slot());
    const kept = file.get("x");
    expect(bytes.equals((kept && file.read(kept)) ?? Buffer.alloc(0))).toBe(true);
  }
  file.close();
});

test("may have any size", () => {
  for (const size of [1_000 / 7, 1_000 / 11, 0.5, 0]) {
    const file = new RingFile<Slot>(folder, { size, mostNames: 10 });
    for (const number of all) {
      if (number % 9 === 0) file.clear();
      file.set(`${number}`, new Uint8Array(11).fill(number), new Slot());
      const kept = file.get(`${number}`);
      expect(kept && file.read(kept)?.[10]).toBe(size > 11 ? number : undefined);
    }
    file.close();
  }
});

test("leaves nothing in its folder, and once closed holds and accepts nothing", () => {
  const closed = new Bytes(10);
  expect(readdirSync(folder)).toEqual([]);
  closed.set("x", filled(1));
  const open = keptFiles().length;
  closed.file.close();
  closed.file.close();
  expect(keptFiles().length).toBe(open - 1);
  expect(closed.file.get("x")).toBeUndefined();
  withFile((other) => {
    other.set("x", filled(1));
    closed.set("y", filled(2));
    expect(closed.get("y")).toBeUndefined();
    expect(other.get("x")).toEqual(filled(1));
  });
});
