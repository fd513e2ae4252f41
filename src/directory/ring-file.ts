import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Where bytes lie in the file. What else is to be noted of them in memory goes into a class that extends
 * this one: there are so many that each should be one small object.
 */
export class Slot {
  /** Counted from the first byte that was ever written. */
  start = 0;
  length = 0;
  /** When they were last set or got: how far the file had been written by then. */
  wantedAt = 0;
}

/**
 * Bytes by name in a file that has no name itself: in memory that the system gives and takes as there
 * is some to spare, and where the garbage collector does not look. They lie in a ring. When it is
 * full, of a few of the oldest the one gives way that has not been wanted for longest, and those
 * before it get a further round: nearly what a list in order of use would keep, and nothing has to be
 * put in order when something is got.
 */
export class RingFile<Kept extends Slot> {
  readonly #file: number;
  #size: number;
  readonly #mostNames: number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #byAge = this.#kept.entries();
  /** Names set since `#byAge` went on. */
  #setSince = 0;
  /** What comes next in the ring behind `#end`; the rest is still to come from `#byAge`. */
  #oldest: [string, Kept][] = [];
  /** Where the next one goes, counted like `start`. */
  #end = 0;
  /** To read into: always the same, or reading would make more garbage than all else. */
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);

  /**
   * Throws when a file cannot be made in the folder.
   * @param options.size in bytes; they are taken up only as they are filled
   * @param options.mostNames each takes up some 300 bytes of memory
   */
  constructor(folder: string, { size, mostNames }: { size: number; mostNames: number }) {
    // Places in the file are counted on for ever: with a fraction they would end up between bytes.
    this.#size = Math.floor(size);
    this.#mostNames = mostNames;
    const own = mkdtempSync(join(folder, "highstreet-"));
    try {
      this.#file = openSync(join(own, "pages"), "wx+", 0o600);
    } finally {
      // What is open stays, and goes with the process however that ends.
      rmSync(own, { recursive: true });
    }
  }

  get size(): number {
    return this.#size;
  }

  get(name: string): Kept | undefined {
    const kept = this.#kept.get(name);
    if (kept) kept.wantedAt = this.#end;
    return kept;
  }

  /**
   * The bytes, or a part of them; undefined when others lie there by now. They are good until anything
   * else is read or set.
   * @throws Error when they cannot be read
   */
  read({ start, length }: Slot, from = 0, to = length): Uint8Array<ArrayBuffer> | undefined {
    if (this.#end > start + this.#size) return undefined;
    const wanted = to - from;
    if (wanted > this.#buffer.byteLength) this.#buffer = Buffer.allocUnsafeSlow(2 * wanted);
    const place = (start % this.#size) + from;
    const read = readSync(this.#file, this.#buffer, 0, wanted, place);
    if (read < wanted) throw new Error(`Only ${read} of ${wanted} bytes could be read.`);
    return this.#buffer.subarray(0, wanted);
  }

  /**
   * Does nothing when they are more than all there is room for. Throws when the disk is full.
   * @param kept will say where they are
   */
  set(name: string, bytes: Uint8Array, kept: Kept): void {
    kept.length = bytes.byteLength;
    this.delete(name);
    if (kept.length > this.#size) return;
    this.#setSince++;
    this.#makeRoom(kept.length);
    kept.wantedAt = this.#end;
    this.#append(name, bytes, kept);
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
    // On a full disk there is room where something has been written before.
    if (this.#size > 0) this.#end += this.#restOfRound();
  }

  /** From now on it has no room for anything. */
  close(): void {
    if (this.#size < 0) return;
    this.#kept.clear();
    this.#size = -1;
    closeSync(this.#file);
  }

  #makeRoom(length: number): void {
    for (;;) {
      const rest = this.#restOfRound();
      this.#findOldest();
      const oldest = this.#oldest[0]?.[1];
      if (oldest && this.#hasToGo(oldest, Math.min(length, rest))) this.#dropOne();
      else if (rest < length) this.#end += rest;
      else return;
    }
  }

  #hasToGo({ start }: Slot, wanted: number): boolean {
    return this.#kept.size >= this.#mostNames || start + this.#size < this.#end + wanted;
  }

  #append(name: string, bytes: Uint8Array, kept: Kept): void {
    try {
      const { length } = kept;
      const written = writeSync(this.#file, bytes, 0, length, this.#end % this.#size);
      if (written < length) throw new Error(`Only ${written} of ${length} bytes could be written.`);
    } catch (error) {
      this.clear();
      throw error;
    }
    kept.start = this.#end;
    this.#kept.set(name, kept);
    this.#end += kept.length;
  }

  /** Bytes up to the end of the file. */
  #restOfRound(): number {
    return this.#size - (this.#end % this.#size);
  }

  #findOldest(): void {
    // While it stands still it holds every table that the map has had since, with what was in them.
    if (this.#setSince > this.#mostNames) {
      this.#byAge = this.#kept.entries();
      this.#oldest = [];
    }
    const isKept = ([name, kept]: [string, Kept]) => this.#kept.get(name) === kept;
    this.#oldest = this.#oldest.filter(isKept);
    while (this.#oldest.length < Math.min(COMPARED, this.#kept.size)) {
      const next = this.#byAge.next();
      this.#setSince = 0;
      if (next.done) throw new Error("Something kept has been passed over.");
      this.#oldest.push(next.value);
    }
  }

  #dropOne(): void {
    const times = this.#oldest.map(([, { wantedAt }]) => wantedAt);
    for (let before = times.indexOf(Math.min(...times)); before >= 0; before--) {
      // Each is gone before anything is done that may fail: what is kept is always among the
      // oldest or still to come.
      const [name, kept] = this.#oldest.shift() as [string, Kept];
      this.#kept.delete(name);
      // Where it lay is free now, so that there is room for it, unless the file ends before.
      if (before === 0 || kept.length > this.#restOfRound()) continue;
      const bytes = this.read(kept);
      if (bytes) this.#append(name, bytes, kept);
    }
  }
}

/**
 * More of them are nearer to the order of use. On average two are moved for one that gives way: a
 * read and a write each.
 */
const COMPARED = 5;
