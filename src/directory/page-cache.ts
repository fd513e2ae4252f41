import { LRUCache } from "lru-cache";
import type { Sql } from "../store/postgres.ts";
import type { Snapshot } from "../store/snapshots.ts";
import { followAnnouncements } from "./announcements.ts";
import { type Extent, effectOf, type Shown, subjectOf, type Touch, touchesOf } from "./touched.ts";

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

export interface PageCacheOptions<Page> {
  /** What the kept pages may weigh together; 0 keeps none. */
  maxBytes: number;
  /** Called before a page is kept: makes it small. @returns what it then weighs in memory, in bytes */
  pack(page: Page): number;
  /** The same page of a list when that has so many more businesses, all of them behind this page. */
  grow(page: Page, growth: number): Page;
}

/**
 * Keeps finished pages of the directory, the most recently used of them. A change that is committed
 * anywhere shows within a second: its announcement drops the pages whose rows it touches, and
 * corrects the total of the other pages of its lists. While announcements cannot be heard, nothing
 * is found and all is made anew.
 */
export async function createPageCache<Page extends object>(
  sql: Sql,
  { maxBytes, pack, grow }: PageCacheOptions<Page>,
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
  /** For each page in the making, what has been told meanwhile. */
  const meanwhile = new Set<Told[]>();

  const announcements = await followAnnouncements(sql, (changes) => {
    const told = changes === "everything" ? changes : touchesOf(changes);
    for (const heard of meanwhile) heard.push(told);
    if (told === "everything") return entries.clear();
    for (const [subject, touches] of told) {
      for (const entry of bySubject.get(subject)?.entries ?? []) {
        if (!isTrueAfter(entry, touches)) entries.delete(entry.name);
      }
    }
  });

  async function makeAndKeep(name: string, work: () => Promise<Made<Page>>): Promise<Page> {
    const heard: Told[] = [];
    meanwhile.add(heard);
    const made = await work().finally(() => meanwhile.delete(heard));
    const { page, shows } = made;
    if (shows && maxBytes > 0) keep(name, page, shows, heard);
    return page;
  }

  function keep(name: string, page: Page, shows: Shown, heard: readonly Told[]) {
    const subject = subjectOf(shows);
    const linked = bySubject.get(subject) ?? { subject, entries: new Set() };
    const { extent, snapshot } = shows.kind === "list" ? shows : { extent: null, snapshot: null };
    const entry = { name, page, size: 0, linked, extent, snapshot, growth: 0 };
    const isTrue = heard.every(
      (told) => told !== "everything" && isTrueAfter(entry, told.get(subject) ?? []),
    );
    if (!isTrue) return;
    entry.size = pack(page) + OVERHEAD;
    entries.set(name, entry);
    linked.entries.add(entry);
    bySubject.set(subject, linked);
  }

  function find(name: string): Page | undefined {
    const entry = announcements.areCurrent() ? entries.get(name) : undefined;
    if (entry && entry.growth !== 0) {
      entry.page = grow(entry.page, entry.growth);
      entry.growth = 0;
    }
    return entry?.page;
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

/** Whether a page is still true; if so, takes note of how its list has grown. */
function isTrueAfter(entry: Entry<unknown>, touches: readonly Touch[]): boolean {
  for (const touch of touches) {
    const effect = effectOf(entry, touch);
    if (effect === "untrue") return false;
    entry.growth += effect;
  }
  return true;
}

/** A page that has been long in the making may be older than who asks for it now would accept. */
const LONGEST_JOIN_MS = 500;

/** What an entry weighs beside its page, in bytes: its name and its links. */
const OVERHEAD = 1_000;

/** What some changes do, by subject. */
type Told = Map<string, Touch[]> | "everything";

/** There are a hundred thousand of these: each object in one costs the garbage collector time. */
interface Entry<Page> {
  name: string;
  page: Page;
  size: number;
  linked: Linked<Page>;
  /** Of a page of a list with rows. */
  extent: Extent | null;
  /** Of a page of a list. */
  snapshot: Snapshot | null;
  /** Businesses that its list has more than the page says. */
  growth: number;
}

/** The entries that one change could touch. */
interface Linked<Page> {
  subject: string;
  entries: Set<Entry<Page>>;
}
