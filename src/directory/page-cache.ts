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
  /** What is said of the same page, its bytes as before, when its list has so many more businesses. */
  grow(about: About, growth: number): About;
  /** Told when pages cannot be read, or, now and then, cannot be kept; they are given all the same. */
  onFault(error: unknown): void;
}

/**
 * The bytes of a kept page. They are good until anything else is read or kept.
 * @throws LostPageError
 */
export interface Stored {
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
    if (note.seen === recent.latest) return unpack(note.about, new StoredPage(name, kept, note));
    try {
      return bringUpToDate(name, kept, note);
    } catch (error) {
      if (error instanceof LostPageError) return undefined;
      throw error;
    }
  }

  function bringUpToDate(name: string, kept: Kept<unknown>, note: Note<About>): Page | undefined {
    const growth = growthSince(kept, note);
    if (growth === "untrue") {
      file.delete(name);
      return undefined;
    }
    const stored = new StoredPage(name, kept, note);
    if (growth === 0) {
      note.seen = recent.latest;
      return unpack(note.about, stored);
    }
    const page = unpack(grow(note.about, growth), stored);
    const standing = Buffer.from(reading(() => file.read(kept, 0, note.standing)));
    keep(name, page, standing, { subject: note.subject, seen: recent.latest });
    return page;
  }

  /** What the changes since it was last looked at make of a page. */
  function growthSince(kept: Kept<unknown>, note: Note<About>): "untrue" | number {
    const touches = recent.since(note.seen, note.subject);
    if (!touches) return "untrue";
    if (touches.length === 0) return 0;
    const standing = readStanding(kept, note);
    let growth = 0;
    for (const touch of touches) {
      const effect = effectOf(standing, touch);
      if (effect === "untrue") return "untrue";
      growth += effect;
    }
    return growth;
  }

  async function makeAndKeep(name: string, work: () => Promise<Made<Page>>): Promise<Page> {
    const seen = recent.latest;
    const { page, shows } = await work();
    if (shows && file.size > 0) {
      const standing = Buffer.from(JSON.stringify(standingOf(shows)));
      keep(name, page, standing, { subject: subjectOf(shows), seen });
    }
    return page;
  }

  function keep(
    name: string,
    page: Page,
    standing: Uint8Array,
    { subject, seen }: Pick<Note<About>, "subject" | "seen">,
  ): void {
    const { bytes, about } = pack(page);
    const note = { about, subject, seen, standing: standing.byteLength };
    write(name, Buffer.concat([standing, bytes]), note);
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
      return reading(() => file.read(this.#kept, this.#start));
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

  function readStanding(kept: Kept<unknown>, { standing }: Note<About>): Standing {
    return reading(() => {
      const bytes = file.read(kept, 0, standing);
      return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Standing);
    });
  }

  /** A file that cannot be read is not used any more: nobody's answer depends on it. */
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
