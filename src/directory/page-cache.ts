import type { Sql } from "../store/postgres.ts";
import { followAnnouncements } from "./announcements.ts";
import { RecentChanges } from "./recent-changes.ts";
import { type RingFile, Slot } from "./ring-file.ts";
import {
  effectOf,
  type Shown,
  type Standing,
  type Subject,
  standingOf,
  subjectOf,
  type Touch,
} from "./touched.ts";

/** A cache of finished pages, each valid until a change touches it. */
export interface PageCache<Page> {
  /** The page of that name, if it is cached and still true. */
  find(name: string): Page | undefined;
  /** The cached page, or one that is made, once for all who ask for it meanwhile, and cached. */
  findOrMake(name: string, work: () => Promise<Made<Page>>): Page | Promise<Page>;
  stop(): Promise<void>;
}

export interface Made<Page> {
  page: Page;
  /** Null: not to be cached. */
  shows: Shown | null;
}

export interface PageCacheOptions<Page, Rest> {
  pack(page: Page): Packed<Rest>;
  /** The same page again. */
  unpack(stored: Stored): Page;
  /** The same page once its list has so many more businesses. */
  grow(stored: Stored, rest: Rest, growth: number): Page;
  /** Told when pages cannot be read, and, at intervals, when they cannot be cached; answers go on. */
  onFault(error: unknown): void;
}

export interface Packed<Rest> {
  bytes: Bytes;
  /** Differs when the bytes differ. It stays in memory, so it should be short. */
  tag: string;
  /** What `grow` needs beside the bytes. Must be JSON. */
  rest: Rest;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A cached page. Its bytes are valid until anything else is read or cached. */
export interface Stored {
  readonly tag: string;
  /** How many bytes it has. */
  readonly size: number;
  /** @throws LostPageError */
  bytes(): Bytes;
  /** What was cached under that name for these very bytes. @throws LostPageError */
  findForm(form: string): Bytes | undefined;
  keepForm(form: string, bytes: Bytes): void;
}

/** A page was found, but its bytes are gone. From then on it is not found. */
export class LostPageError extends Error {
  override name = "LostPageError";
}

/** Pages and their other forms. */
export type PageFile = RingFile<KeptForm>;

export class KeptForm extends Slot {
  /** That of the page. */
  readonly tag: string;

  constructor(tag: string) {
    super();
    this.tag = tag;
  }
}

/** In the file: a header as JSON, then the bytes of the page. */
class KeptPage extends KeptForm {
  readonly subject: Subject;
  /** The number of the last change that it has been compared with. */
  seen: number;
  /** How many bytes the header has. */
  readonly header: number;

  constructor(tag: string, subject: Subject, seen: number, header: number) {
    super(tag);
    this.subject = subject;
    this.seen = seen;
    this.header = header;
  }
}

/** What is needed only when the list of the page has changed. */
interface Header<Rest> {
  standing: Standing;
  rest: Rest;
}

/**
 * Caches finished pages of the directory in a file, and their metadata in memory. A change that is
 * committed anywhere shows within a second: its announcement invalidates the pages whose rows it
 * touches, and corrects the total of the other pages of its lists. While announcements do not arrive,
 * nothing is found and everything is made anew.
 * @param file belongs to the caller, who closes it
 */
export async function createPageCache<Page extends object, Rest>(
  sql: Sql,
  file: PageFile,
  { pack, unpack, grow, onFault }: PageCacheOptions<Page, Rest>,
): Promise<PageCache<Page>> {
  const underWay = new Map<string, { since: number; page: Promise<Page> }>();
  let faultAt = Number.NEGATIVE_INFINITY;

  const recent = new RecentChanges();
  const announcements = await followAnnouncements(sql, (changes) => {
    if (changes !== "everything") return recent.tell(changes);
    recent.forget();
    file.clear();
  });

  function find(name: string): Page | undefined {
    if (!announcements.areCurrent()) return undefined;
    const kept = file.get(name);
    if (!(kept instanceof KeptPage)) return undefined;
    if (kept.seen === recent.latest) return unpack(new StoredPage(name, kept));
    const touches = recent.since(kept.seen, kept.subject);
    if (touches?.length === 0) {
      kept.seen = recent.latest;
      return unpack(new StoredPage(name, kept));
    }
    try {
      const page = touches && touched(name, kept, touches);
      if (!page) file.delete(name);
      return page ?? undefined;
    } catch (error) {
      if (error instanceof LostPageError) return undefined;
      throw error;
    }
  }

  /** What the changes that touched its subject make of a page; null when it is no longer true. */
  function touched(name: string, kept: KeptPage, touches: readonly Touch[]): Page | null {
    const { standing, rest } = readHeader(kept);
    let growth = 0;
    for (const touch of touches) {
      const effect = effectOf(standing, touch);
      if (effect === "untrue") return null;
      growth += effect;
    }
    const stored = new StoredPage(name, kept);
    if (growth === 0) {
      kept.seen = recent.latest;
      return unpack(stored);
    }
    const page = grow(stored, rest, growth);
    keep(name, page, { standing, subject: kept.subject, seen: recent.latest });
    return page;
  }

  /** @param isLatest whether nobody has begun to make the same page since */
  async function makeAndKeep(
    name: string,
    work: () => Promise<Made<Page>>,
    isLatest: () => boolean,
  ): Promise<Page> {
    const seen = recent.latest;
    const { page, shows } = await work();
    // A later one may already show a change that has not been told yet: it must stay.
    if (shows && file.size > 0 && isLatest()) {
      keep(name, page, { standing: standingOf(shows), subject: subjectOf(shows), seen });
    }
    return page;
  }

  function keep(
    name: string,
    page: Page,
    { standing, subject, seen }: { standing: Standing; subject: Subject; seen: number },
  ): void {
    const { bytes, tag, rest } = pack(page);
    const header = Buffer.from(JSON.stringify({ standing, rest } satisfies Header<Rest>));
    const kept = new KeptPage(tag, subject, seen, header.byteLength);
    write(name, Buffer.concat([header, bytes]), kept);
  }

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

  function readHeader(kept: KeptPage): Header<Rest> {
    return reading(() => {
      const bytes = file.read(kept, 0, kept.header);
      return bytes && JSON.parse(new TextDecoder().decode(bytes));
    });
  }

  /** A file that cannot be read is not used any more: answers do not depend on it. */
  function reading<Result>(read: () => Result | undefined): Result {
    try {
      const result = read();
      if (result !== undefined) return result;
    } catch (error) {
      file.close();
      onFault(error);
    }
    throw new LostPageError();
  }

  /** Goes on after a failure: a full disk may have room again. */
  function write(name: string, bytes: Bytes, kept: KeptForm): void {
    try {
      file.set(name, bytes, kept);
    } catch (error) {
      const now = performance.now();
      if (now - faultAt > FAULT_INTERVAL_MS) onFault(error);
      faultAt = now;
    }
  }

  return {
    find,
    findOrMake(name, work) {
      const kept = find(name);
      if (kept) return kept;
      const now = performance.now();
      const known = underWay.get(name);
      if (known && now - known.since < LONGEST_JOIN_MS) return known.page;
      const isLatest = () => underWay.get(name)?.page === page;
      const page = makeAndKeep(name, work, isLatest).finally(() => {
        if (isLatest()) underWay.delete(name);
      });
      underWay.set(name, { since: now, page });
      return page;
    },
    stop: () => announcements.stop(),
  };
}

/** A page that has been in the making for longer may be too old for whoever asks now. */
const LONGEST_JOIN_MS = 500;

/** After so long without a fault, the next one is told again. */
const FAULT_INTERVAL_MS = 60_000;
