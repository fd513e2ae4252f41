import type { Logger } from "pino";
import { RingFile, Slot } from "./ring-file.ts";
import { type Shown, type Subject, subjectOf } from "./touched.ts";

/** The file of all pages and their other forms, such as compressed ones. */
export type PageFile = RingFile<KeptForm>;

/**
 * Opens such a file.
 * @param size in bytes; 0 keeps nothing
 * @throws Error when it cannot be made in the folder
 */
export function openPageFile(folder: string, size: number): PageFile {
  return new RingFile(folder, { size, mostNames: MOST_KEPT, margin: size / 32 });
}

/**
 * Pages and compressed forms in a process. If they are small, the file has room for more, but those would not
 * be worth the memory that each name takes.
 */
const MOST_KEPT = 110_000;

export interface Packed<Rest> {
  bytes: Bytes;
  /** Differs when the bytes differ. It stays in memory, so it should be short. */
  tag: string;
  /** What else `grow` needs to correct the page when its list has grown. Must be serialisable as JSON. */
  rest: Rest;
}

/** A cached page. Its bytes are valid until anything else is read or cached. */
export interface Stored {
  readonly tag: string;
  readonly size: number;
  /** @throws LostPageError */
  bytes(): Bytes;
  /** The form of that name, if it was made of these very bytes. @throws LostPageError */
  findForm(form: string): Bytes | undefined;
  keepForm(form: string, bytes: Bytes): void;
}

/** A page was found, but its bytes are gone. From then on it is not found. */
export class LostPageError extends Error {}

/**
 * Keeps each page of a cache, and its other forms, in a file. Logs when the file cannot be read, after which it
 * is no longer used, and, at intervals, when it cannot be written to.
 * @param file belongs to the caller, who closes it
 */
export function keptPages<Rest>(file: PageFile, log: Logger) {
  let reportedAt = Number.NEGATIVE_INFINITY;

  class StoredPage implements Stored {
    readonly #name: string;
    readonly #kept: KeptPage;

    constructor(name: string, kept: KeptPage) {
      this.#name = name;
      this.#kept = kept;
    }

    get tag(): string {
      return this.#kept.tag;
    }

    get size(): number {
      return this.#kept.length - this.#kept.header;
    }

    bytes(): Bytes {
      return reading(() => file.read(this.#kept, this.#kept.header));
    }

    findForm(form: string): Bytes | undefined {
      const kept = file.get(this.#nameOf(form));
      return kept?.tag === this.tag ? reading(() => file.read(kept)) : undefined;
    }

    /** Replaces the form of older bytes. */
    keepForm(form: string, bytes: Bytes): void {
      write(this.#nameOf(form), bytes, new KeptForm(this.tag));
    }

    #nameOf(form: string): string {
      return `${form} of ${this.#name}`;
    }
  }

  const report = (error: unknown) =>
    log.error({ err: error }, "answers cannot be cached in TMPDIR");

  /** A file that cannot be read is not used any more: answers do not depend on it. */
  function reading<Result>(read: () => Result | undefined): Result {
    try {
      const result = read();
      if (result !== undefined) return result;
    } catch (error) {
      file.close();
      report(error);
    }
    throw new LostPageError();
  }

  function write(name: string, bytes: Bytes, kept: KeptForm): void {
    try {
      file.set(name, bytes, kept);
    } catch (error) {
      const now = performance.now();
      if (now - reportedAt < FAULT_INTERVAL_MS) return;
      reportedAt = now;
      report(error);
    }
  }

  return {
    /**
     * Never throws: a page that cannot be written, as on a full disk, is not cached, and later ones may be.
     * @param seen the number of the last change that it has been compared with
     */
    keep(name: string, { bytes, tag, rest }: Packed<Rest>, shows: Shown, seen: number): void {
      const header = Buffer.from(JSON.stringify({ shows, rest } satisfies Header<Rest>));
      const kept = new KeptPage(tag, subjectOf(shows), seen, header.byteLength);
      write(name, Buffer.concat([header, bytes]), kept);
    },
    /** Reads nothing yet: bytes are read on demand. */
    open: (name: string, kept: KeptPage): Stored => new StoredPage(name, kept),
    /** What is needed only when the list of the page has changed. @throws LostPageError */
    readHeader: (kept: KeptPage): Header<Rest> =>
      reading(() => {
        const bytes = file.read(kept, 0, kept.header);
        return bytes && JSON.parse(new TextDecoder().decode(bytes));
      }),
  };
}

/** Between two faults that are reported. While a disk is full, each new page causes one. */
const FAULT_INTERVAL_MS = 60_000;

type Bytes = Uint8Array<ArrayBuffer>;

/** What memory holds of a form of a page: of the page itself, or of another, such as a compressed one. */
class KeptForm extends Slot {
  /** @param tag of the page, which shows whether the form was made of the page's present bytes */
  constructor(readonly tag: string) {
    super();
  }
}

/** In the file: a header as JSON, then the bytes of the page. */
export class KeptPage extends KeptForm {
  /**
   * @param seen the number of the last change that it has been compared with
   * @param header how many bytes the header has
   */
  constructor(
    tag: string,
    readonly subject: Subject,
    public seen: number,
    readonly header: number,
  ) {
    super(tag);
  }
}

interface Header<Rest> {
  shows: Shown;
  rest: Rest;
}
