import { RingFile } from "./ring-file.ts";
import type { Standing } from "./touched.ts";

/** A page as bytes, and what has to be known to tell whether it is still true. */
export interface PackedPage extends State {
  bytes: Uint8Array<ArrayBuffer>;
  /** What else belongs to the page, for JSON. */
  about: unknown;
  standing: Standing;
}

/** How a page stands to the changes there were: what becomes another while it is kept. */
export interface State {
  /** The last of the recent changes that it has been compared with. */
  seen: number;
  /** Businesses that its list has more than its bytes say. */
  growth: number;
}

/** Packed pages by name, in a RingFile. */
export class PackedPages {
  readonly #file: RingFile;
  readonly maxBytes: number;

  /**
   * Throws when a file cannot be made in the folder.
   * @param maxBytes what they may take up together on disk; 0 keeps none
   */
  constructor(folder: string, maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#file = new RingFile(folder, { size: maxBytes, mostNames: MOST_PAGES });
  }

  /** Its bytes are not to be kept for long, see RingFile. */
  get(name: string): PackedPage | undefined {
    const record = this.#file.get(name);
    if (!record) return undefined;
    const end = STATE_BYTES + HEAD_BYTES + record.readUInt32BE(STATE_BYTES);
    const head = record.toString("utf8", STATE_BYTES + HEAD_BYTES, end);
    return {
      ...(JSON.parse(head) as Head),
      bytes: record.subarray(end),
      seen: record.readDoubleBE(0),
      growth: record.readInt32BE(8),
    };
  }

  set(name: string, { bytes, about, standing, ...state }: PackedPage): void {
    const head = Buffer.from(JSON.stringify({ about, standing } satisfies Head));
    const length = Buffer.alloc(HEAD_BYTES);
    length.writeUInt32BE(head.byteLength);
    this.#file.set(name, Buffer.concat([writeState(state), length, head, bytes]));
  }

  setState(name: string, state: State): void {
    this.#file.overwrite(name, writeState(state));
  }

  delete(name: string): void {
    this.#file.delete(name);
  }

  clear(): void {
    this.#file.clear();
  }

  close(): void {
    this.#file.close();
  }
}

/** Small ones would be far more than are worth their names in memory. */
const MOST_PAGES = 150_000;

interface Head {
  about: unknown;
  standing: Standing;
}

// A record: the state, the length of the head, the head as JSON, the bytes.
const STATE_BYTES = 12;
const HEAD_BYTES = 4;

function writeState({ seen, growth }: State): Buffer {
  const state = Buffer.alloc(STATE_BYTES);
  state.writeDoubleBE(seen, 0);
  state.writeInt32BE(growth, 8);
  return state;
}
