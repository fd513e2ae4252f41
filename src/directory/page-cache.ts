import { LRUCache } from "lru-cache";
import type { Sql } from "../store/postgres.ts";
import { followAnnouncements } from "./announcements.ts";
import { type Extent, reachesInto, type Shown, subjectOf, touchedBy } from "./touched.ts";

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
  /** Called before it is kept: makes it small. @returns what it then weighs in memory, in bytes */
  pack(): number;
}

/**
 * Keeps finished pages of the directory, the most recently used of them. A change that is committed
 * anywhere shows within a second: its announcement drops the pages that it touches and no others.
 * While announcements cannot be heard, nothing is found and all is made anew.
 * @param options.maxBytes what the kept pages may weigh together; 0 keeps none
 */
export async function createPageCache<Page extends object>(
  sql: Sql,
  { maxBytes }: { maxBytes: number },
): Promise<PageCache<Page>> {
  const bySubject = new Map<string, Linked<Page>>();
  const entries = new LRUCache<string, Entry<Page>>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ size }) => size,
    dispose(entry) {
      const { linked } = entry;
      linked.entries.delete(entry);
      if (linked.entries.size === 0) bySubject.delete(linked.subject);
    },
  });
  const underWay = new Map<string, { since: number; page: Promise<Page> }>();
  /** Counts what has been told: a page that was begun before may not know of it. */
  let generation = 0;

  function keep(name: string, { page, shows, size }: { page: Page; shows: Shown; size: number }) {
    const subject = subjectOf(shows);
    let linked = bySubject.get(subject);
    if (!linked) {
      linked = { subject, entries: new Set() };
      bySubject.set(subject, linked);
    }
    const extent = shows.kind === "list" ? shows.extent : null;
    const entry = { name, page, size, linked, extent };
    entries.set(name, entry);
    linked.entries.add(entry);
  }

  const announcements = await followAnnouncements(sql, (changes) => {
    generation += 1;
    if (changes === "everything") return entries.clear();
    for (const { subject, between } of changes.flatMap(touchedBy)) {
      for (const { name, extent } of bySubject.get(subject)?.entries ?? []) {
        if (!between || reachesInto(extent, between)) entries.delete(name);
      }
    }
  });

  async function makeAndKeep(name: string, work: () => Promise<Made<Page>>): Promise<Page> {
    const begunIn = generation;
    const made = await work();
    const { page, shows } = made;
    if (maxBytes > 0 && shows && begunIn === generation) {
      keep(name, { page, shows, size: made.pack() + OVERHEAD });
    }
    return page;
  }

  const find = (name: string) => (announcements.areCurrent() ? entries.get(name)?.page : undefined);

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

/** What an entry weighs beside its page, in bytes: its name and its links. */
const OVERHEAD = 1_000;

/** There are a hundred thousand of these: each object in one costs the garbage collector time. */
interface Entry<Page> {
  name: string;
  page: Page;
  size: number;
  linked: Linked<Page>;
  /** Of a page of a list with rows. */
  extent: Extent | null;
}

/** The entries that one change could touch. */
interface Linked<Page> {
  subject: string;
  entries: Set<Entry<Page>>;
}
