import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Bytes by name in a file that has no name itself: in memory that the system gives and takes as there
 * is some to spare, and where the garbage collector does not look. They lie in a ring. When it is
 * full the oldest give way, but those that were read since they were written get a second round.
 */
export class RingFile {
  readonly #file: number;
  #size: number;
  readonly #mostNames: number;
  /** The oldest first. */
  readonly #places = new Map<string, Place>();
  #byAge = this.#places.entries();
  /** What comes next in the ring behind `#end`. */
  #oldest: [string, Place] | undefined;
  /** Where the next one goes. */
  #end = 0;
  /** To read into, from `#used` on: one for many, since each costs more than what it takes to read. */
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;

  /**
   * Throws when a file cannot be made in the folder.
   * @param options.size in bytes; they are taken up only as they are filled
   * @param options.mostNames each takes up some 250 bytes of memory
   */
  constructor(folder: string, { size, mostNames }: { size: number; mostNames: number }) {
    this.#size = size;
    this.#mostNames = mostNames;
    const own = mkdtempSync(join(folder, "highstreet-"));
    try {
      this.#file = openSync(join(own, "pages"), "wx+", 0o600);
    } finally {
      // What is open stays, and goes with the process however that ends.
      rmSync(own, { recursive: true });
    }
  }

  /** They share memory with what is read at about that time: who keeps them for long keeps a copy. */
  get(name: string): Buffer<ArrayBuffer> | undefined {
    const place = this.#places.get(name);
    if (!place) return undefined;
    place.isRead = true;
    return this.#read(place);
  }

  /** Does nothing when they are more than all there is room for. Throws when the disk is full. */
  set(name: string, bytes: Uint8Array): void {
    const length = bytes.byteLength;
    this.delete(name);
    if (length > this.#size) return;
    if (this.#places.size >= this.#mostNames) this.#dropOldest();
    this.#makeRoom(length);
    this.#append(name, bytes);
  }

  /** Writes over the first of the bytes of that name. */
  overwrite(name: string, bytes: Uint8Array): void {
    const place = this.#places.get(name);
    if (place) this.#write(bytes, place.start);
  }

  delete(name: string): void {
    this.#places.delete(name);
  }

  clear(): void {
    this.#places.clear();
    this.#end = 0;
  }

  /** From now on it has no room for anything. */
  close(): void {
    this.clear();
    this.#size = -1;
    closeSync(this.#file);
  }

  #makeRoom(length: number): void {
    let secondRounds = MOST_SECOND_ROUNDS;
    for (;;) {
      const oldest = this.#findOldest();
      const isAhead = oldest !== undefined && oldest[1].start >= this.#end;
      const room = (isAhead ? oldest[1].start : this.#size) - this.#end;
      if (room >= length) return;
      if (!isAhead) {
        this.#end = 0;
        continue;
      }
      const [name, place] = oldest;
      this.#dropOldest();
      // What lies between is free, so that there is room for it.
      if (place.isRead && secondRounds-- > 0) this.#append(name, this.#read(place));
    }
  }

  #append(name: string, bytes: Uint8Array): void {
    const length = bytes.byteLength;
    this.#write(bytes, this.#end);
    this.#places.set(name, { start: this.#end, length, isRead: false });
    this.#end += length;
  }

  #write(bytes: Uint8Array, start: number): void {
    const length = bytes.byteLength;
    try {
      const written = writeSync(this.#file, bytes, 0, length, start);
      if (written < length) throw new Error(`Only ${written} of ${length} bytes could be written.`);
    } catch (error) {
      // On a full disk there is room for what lies where something has been written before.
      this.clear();
      throw error;
    }
  }

  #dropOldest(): void {
    const oldest = this.#findOldest();
    if (oldest) this.#places.delete(oldest[0]);
    this.#oldest = undefined;
  }

  #findOldest(): [string, Place] | undefined {
    while (!this.#oldest || this.#places.get(this.#oldest[0]) !== this.#oldest[1]) {
      let next = this.#byAge.next();
      if (next.done) {
        // An iterator that has come to its end stays there.
        this.#byAge = this.#places.entries();
        next = this.#byAge.next();
      }
      if (next.done) return undefined;
      this.#oldest = next.value;
    }
    return this.#oldest;
  }

  #read({ start, length }: Place): Buffer<ArrayBuffer> {
    if (length > this.#buffer.byteLength - this.#used) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(length, BUFFER_BYTES));
      this.#used = 0;
    }
    const bytes = this.#buffer.subarray(this.#used, this.#used + length);
    this.#used += length;
    const read = readSync(this.#file, bytes, 0, length, start);
    if (read < length) throw new Error(`Only ${read} of ${length} bytes could be read.`);
    return bytes;
  }
}

const BUFFER_BYTES = 256 * 1024;

interface Place {
  start: number;
  length: number;
  /** Since it was written there. */
  isRead: boolean;
}

/** So that one `set` does not have to move everything there is. */
const MOST_SECOND_ROUNDS = 16;
