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

  /**
   * Throws when a file cannot be made in the folder.
   * @param maxBytes what they may take up together on disk; 0 keeps none
   */
  constructor(folder: string, maxBytes: number) {
    this.#file = new RingFile(folder, { size: maxBytes, mostNames: MOST_PAGES });
  }

  get(name: string): PackedPage | undefined {
    const record = this.#file.get(name);
    if (!record) return undefined;
    const view = new DataView(record.buffer);
    const end = STATE_BYTES + HEAD_BYTES + view.getUint32(STATE_BYTES);
    const head = decoder.decode(record.subarray(STATE_BYTES + HEAD_BYTES, end));
    return {
      ...(JSON.parse(head) as Head),
      bytes: record.subarray(end),
      seen: view.getFloat64(0),
      growth: view.getInt32(8),
    };
  }

  set(name: string, { bytes, about, standing, ...state }: PackedPage): void {
    const head = encoder.encode(JSON.stringify({ about, standing } satisfies Head));
    const length = new Uint8Array(HEAD_BYTES);
    new DataView(length.buffer).setUint32(0, head.byteLength);
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

function writeState({ seen, growth }: State): Uint8Array {
  const state = new Uint8Array(STATE_BYTES);
  const view = new DataView(state.buffer);
  view.setFloat64(0, seen);
  view.setInt32(8, growth);
  return state;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
