import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Where bytes are in the file. A subclass holds what else is kept about them in memory: there are so many
 * that each should be one small object.
 */
export class Slot {
  /** Counted from the first byte that was ever written. */
  start = 0;
  length = 0;
  /** When they were last set or got, as the end of the file at that moment. */
  lastUsedAt = 0;
}

/**
 * Bytes by name, in an unlinked file: the system keeps what it can of it in memory that nobody else needs,
 * and the garbage collector does not scan that. The file is a ring buffer. When it is full, a
 * few of the oldest entries are compared: the one unused for longest is dropped, and those before it
 * are written again at the end. That keeps nearly what an LRU cache would, without moving anything
 * when an entry is got.
 */
export class RingFile<Kept extends Slot> {
  readonly #file: number;
  #size: number;
  readonly #mostNames: number;
  readonly #margin: number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #byAge = this.#kept.entries();
  /** Names set since `#byAge` was last asked for an entry. */
  #setSince = 0;
  /** The oldest entries, whose bytes `#end` reaches next. All others are still to come from `#byAge`. */
  #oldest: [string, Kept][] = [];
  /** Where the next one goes, counted like `start`. */
  #end = 0;
  /** All reads share one buffer: a new one for each would make more garbage than all else. */
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);

  /**
   * @param options.size in bytes; they are taken up only as they are filled
   * @param options.mostNames each takes up some 300 bytes of memory
   * @param options.margin bytes that may be written between finding an entry and reading it: so long before
   *   its own are overwritten, an entry is no longer found
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
      // Without its name, the open file stays until the process ends, and then nothing is left of it, even
      // if the process was killed.
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
   * Does nothing when the bytes are more than the whole file has room for.
   * @param kept gets where they are
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
    // As entries come and go, a map moves to new tables. An iterator that nobody asks for entries meanwhile
    // keeps all of these alive, with what was in them. So after many sets another one is begun.
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
    const times = this.#oldest.map(([, { lastUsedAt }]) => lastUsedAt);
    for (let before = times.indexOf(Math.min(...times)); before >= 0; before--) {
      // Removed before anything that may fail: what is in the map must always be among the oldest or
      // still to come.
      const [name, kept] = this.#oldest.shift() as [string, Kept];
      this.#kept.delete(name);
      // The one unused for longest is gone. Those before it are written again: there is room for each, since
      // its own place is free now, unless the file ends before. Then it is lost as well.
      if (before === 0 || kept.length > this.#restOfRound()) continue;
      const bytes = this.read(kept);
      if (bytes) this.#append(name, bytes, kept);
    }
  }
}

/**
 * Comparing more comes nearer to LRU. On average two entries are moved for each one that is dropped,
 * which costs a read and a write each.
 */
const COMPARED = 5;
