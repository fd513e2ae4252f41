import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Where an entry's bytes are in the file. A subclass adds what else is held about them in memory: there are
 * so many that each should be one small object.
 */
export class Slot {
  /** Counted from the first byte ever written. */
  start = 0;
  length = 0;
  /** Where the end of everything written was when this entry was last set or got. */
  lastUsedAt = 0;
}

/**
 * Bytes by name, in an unlinked file: the system's page cache holds what fits into spare memory, and the
 * garbage collector does not scan that. The file is a ring buffer. When it is full, a few of the oldest
 * entries are compared: the least recently used is evicted, and those before it are rewritten at the end.
 * That comes close to LRU without moving anything on a cache hit.
 */
export class RingFile<Kept extends Slot> {
  readonly #file: number;
  #size: number;
  readonly #mostNames: number;
  readonly #margin: number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #byAge = this.#kept.entries();
  /** Names set since `#byAge` last advanced. */
  #setSince = 0;
  /** The oldest entries, whose bytes `#end` reaches next. All others are still to come from `#byAge`. */
  #oldest: [string, Kept][] = [];
  /** Where the next one goes, counted like `start`. */
  #end = 0;
  /** All reads share one buffer: a new one for each would make more garbage than everything else. */
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);

  /**
   * @param options.size in bytes; space on disk is used only as it fills
   * @param options.mostNames each takes up some 300 bytes of memory
   * @param options.margin bytes that may be written between finding an entry and reading it: an entry this
   *   close to being overwritten is no longer found
   * @throws Error when a file cannot be made in the folder
   */
  constructor(
    folder: string,
    { size, mostNames, margin = 0 }: { size: number; mostNames: number; margin?: number },
  ) {
    // Positions are sums of sizes: with a fraction they would fall between bytes.
    this.#size = Math.floor(size);
    this.#mostNames = mostNames;
    this.#margin = margin;
    const own = mkdtempSync(join(folder, "highstreet-"));
    try {
      this.#file = openSync(join(own, "pages"), "wx+", 0o600);
    } finally {
      // Without a name, the open file lives until the process ends and then leaves nothing behind, even if
      // the process was killed.
      rmSync(own, { recursive: true });
    }
  }

  get size(): number {
    return this.#size;
  }

  get(name: string): Kept | undefined {
    const kept = this.#kept.get(name);
    if (kept) kept.lastUsedAt = this.#end;
    return kept;
  }

  /**
   * The bytes, or a part of them; undefined when they have been overwritten. Valid until anything else
   * is read or set.
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
   * Does nothing when the bytes exceed the size of the file.
   * @param kept receives their position
   * @throws Error when they cannot be written, as on a full disk
   */
  set(name: string, bytes: Uint8Array, kept: Kept): void {
    kept.length = bytes.byteLength;
    this.delete(name);
    if (kept.length > this.#size) return;
    this.#setSince++;
    this.#makeRoom(kept.length);
    kept.lastUsedAt = this.#end;
    this.#append(name, bytes, kept);
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
    // Start over at the beginning: on a full disk there is room where something was written before.
    if (this.#size > 0) this.#end += this.#restOfRound();
  }

  /** From now on nothing is found and nothing is kept. */
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
    const isNearEnd = start + this.#size < this.#end + wanted + this.#margin;
    return this.#kept.size >= this.#mostNames || isNearEnd;
  }

  #append(name: string, bytes: Uint8Array, kept: Kept): void {
    try {
      const { length } = kept;
      const written = writeSync(this.#file, bytes, 0, length, this.#end % this.#size);
      if (written < length) throw new Error("the disk is full, or a limit or quota is reached");
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
    // As entries come and go, a Map is rehashed into new tables. An iterator that is not advanced meanwhile
    // keeps all of them alive, with their entries. So after many sets a new one is begun.
    if (this.#setSince > this.#mostNames) {
      this.#byAge = this.#kept.entries();
      this.#oldest = [];
    }
    const isKept = ([name, kept]: [string, Kept]) => this.#kept.get(name) === kept;
    this.#oldest = this.#oldest.filter(isKept);
    while (this.#oldest.length < Math.min(COMPARED, this.#kept.size)) {
      const next = this.#byAge.next();
      this.#setSince = 0;
      if (next.done) throw new Error("An entry has been skipped.");
      this.#oldest.push(next.value);
    }
  }

  #dropOne(): void {
    const times = this.#oldest.map(([, { lastUsedAt }]) => lastUsedAt);
    for (let before = times.indexOf(Math.min(...times)); before >= 0; before--) {
      // Removed before anything that may fail: what is in the map must always be among the oldest or
      // still to come.
      const [name, kept] = this.#oldest.shift() as [string, Kept];
      this.#kept.delete(name);
      // The least recently used one is gone. Those before it are rewritten: there is room for each, since its
      // own place is free now, unless the file ends first. Then it is lost as well.
      if (before === 0 || kept.length > this.#restOfRound()) continue;
      const bytes = this.read(kept);
      if (bytes) this.#append(name, bytes, kept);
    }
  }
}

/**
 * Comparing more comes closer to LRU. On average two entries are moved per eviction, at a read and a write
 * each.
 */
const COMPARED = 5;
