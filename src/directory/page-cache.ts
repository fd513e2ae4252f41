import type { Sql } from "../store/postgres.ts";
import { followAnnouncements } from "./announcements.ts";
import { RecentChanges } from "./recent-changes.ts";
import type { Kept, RingFile } from "./ring-file.ts";
import { effectOf, type Shown, type Standing, standingOf, subjectOf } from "./touched.ts";

/** Finished pages, each kept until a change touches it. */
export interface PageCache<Page> {
  /** The page of that name, if it is kept and true. */
  find(name: string): Page | undefined;
  /** Otherwise has it made, once for all who ask for it meanwhile, and keeps it. */
  findOrMake(name: string, work: () => Promise<Made<Page>>): Page | Promise<Page>;
  stop(): Promise<void>;
}

export interface Made<Page> {
  page: Page;
  /** Null: not to be kept. */
  shows: Shown | null;
}

export interface PageCacheOptions<Page, About> {
  /** A page as bytes, and what is said of it: that stays in memory, so it should be little. */
  pack(page: Page): { bytes: Uint8Array<ArrayBuffer>; about: About };
  /** The same page again. */
  unpack(about: About, stored: Stored): Page;
  /** What is said of the same page when its list has so many more businesses, all of them behind it. */
  grow(about: About, growth: number): About;
  /** Told when pages cannot be read, or, now and then, cannot be kept; they are given all the same. */
  onFault(error: unknown): void;
}

/** The bytes of a kept page. They are good until anything else is read or kept. */
export interface Stored {
  /** @throws LostPageError */
  bytes(): Uint8Array<ArrayBuffer>;
  /** What was kept beside it under that name, and for that version. */
  findForm(form: string, version: string): Uint8Array<ArrayBuffer> | undefined;
  /** In place of other versions. */
  keepForm(form: string, version: string, bytes: Uint8Array<ArrayBuffer>): void;
}

/** A page was found, but its bytes are there no more. From then on it is not found. */
export class LostPageError extends Error {
  override name = "LostPageError";
}

/** What is noted of each page: there are so many that what is seldom asked for lies in the file. */
export interface Note<About> {
  about: About;
  subject: string;
  /** The last of the recent changes that it has been compared with. */
  seen: number;
  /** How many bytes before those of the page are its standing, as JSON. */
  standing: number;
}

/** Pages with their notes; their other forms with the version. */
export type PageFile<About> = RingFile<Note<About> | string>;

/**
 * Keeps finished pages of the directory in a file, and in memory what is said of them. A change that
 * is committed anywhere shows within a second: its announcement makes the pages untrue whose rows it
 * touches, and corrects the total of the other pages of its lists. While announcements cannot be
 * heard, nothing is found and all is made anew.
 * @param file belongs to the caller, who closes it
 */
export async function createPageCache<Page extends object, About extends object>(
  sql: Sql,
  file: PageFile<About>,
  { pack, unpack, grow, onFault }: PageCacheOptions<Page, About>,
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
    if (!kept || typeof kept.note === "string") return undefined;
    const { note } = kept;
    if (note.seen === recent.latest || isStillTrue(kept, note)) {
      return unpack(note.about, new StoredPage(name, kept, note));
    }
    file.delete(name);
    return undefined;
  }

  /** If so, what is noted is as of now. */
  function isStillTrue(kept: Kept<unknown>, note: Note<About>): boolean {
    const touches = recent.since(note.seen, note.subject);
    if (!touches) return false;
    if (touches.length > 0) {
      const standing = readStanding(kept, note);
      if (!standing) return false;
      let growth = 0;
      for (const touch of touches) {
        const effect = effectOf(standing, touch);
        if (effect === "untrue") return false;
        growth += effect;
      }
      if (growth !== 0) note.about = grow(note.about, growth);
    }
    note.seen = recent.latest;
    return true;
  }

  async function makeAndKeep(name: string, work: () => Promise<Made<Page>>): Promise<Page> {
    const seen = recent.latest;
    const { page, shows } = await work();
    if (shows && file.size > 0) {
      const { bytes, about } = pack(page);
      const standing = Buffer.from(JSON.stringify(standingOf(shows)));
      const note = { about, subject: subjectOf(shows), seen, standing: standing.byteLength };
      write(name, Buffer.concat([standing, bytes]), note);
    }
    return page;
  }

  class StoredPage implements Stored {
    readonly #name: string;
    readonly #kept: Kept<unknown>;
    readonly #start: number;

    constructor(name: string, kept: Kept<unknown>, { standing }: Note<About>) {
      this.#name = name;
      this.#kept = kept;
      this.#start = standing;
    }

    bytes(): Uint8Array<ArrayBuffer> {
      const bytes = reading(() => file.read(this.#kept, this.#start));
      if (!bytes) throw new LostPageError();
      return bytes;
    }

    findForm(form: string, version: string): Uint8Array<ArrayBuffer> | undefined {
      const kept = file.get(this.#nameOf(form));
      return kept?.note === version ? reading(() => file.read(kept)) : undefined;
    }

    keepForm(form: string, version: string, bytes: Uint8Array<ArrayBuffer>): void {
      write(this.#nameOf(form), bytes, version);
    }

    #nameOf(form: string): string {
      return `${form} of ${this.#name}`;
    }
  }

  function readStanding(kept: Kept<unknown>, { standing }: Note<About>): Standing | undefined {
    return reading(() => {
      const bytes = file.read(kept, 0, standing);
      return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Standing);
    });
  }

  /** A file that cannot be read is not used any more: nobody's answer depends on it. */
  function reading<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      file.close();
      onFault(error);
      return undefined;
    }
  }

  /** A disk that is full may have room again. */
  function write(name: string, bytes: Uint8Array<ArrayBuffer>, note: Note<About> | string): void {
    try {
      file.set(name, bytes, note);
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
      const page = makeAndKeep(name, work).finally(() => {
        if (underWay.get(name)?.page === page) underWay.delete(name);
      });
      underWay.set(name, { since: now, page });
      return page;
    },
    stop: () => announcements.stop(),
  };
}

/** A page that has been long in the making may be older than who asks for it now would accept. */
const LONGEST_JOIN_MS = 500;

/** Without a fault for so long, the next one is told again. */
const FAULT_INTERVAL_MS = 60_000;
