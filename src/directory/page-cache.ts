import { LRUCache } from "lru-cache";
import type { Sql } from "../store/postgres.ts";
import { followAnnouncements } from "./announcements.ts";
import type { PackedPage, PackedPages, State } from "./packed-pages.ts";
import { RecentChanges } from "./recent-changes.ts";
import { effectOf, type Shown, type Standing, standingOf } from "./touched.ts";

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
  /** What the pages that are unpacked may weigh together. */
  maxUnpackedBytes: number;
  /** A page as bytes. */
  pack(page: Page): Packed;
  /** The same page again. */
  unpack(packed: Packed): Page;
  /** Bytes that an unpacked page takes up. */
  weigh(page: Page): number;
  /** The same page of a list when that has so many more businesses, all of them behind this page. */
  grow(page: Page, growth: number): Page;
  /** Told, now and then, when pages cannot be kept or read; they are given all the same. */
  onFault(error: unknown): void;
}

export type Packed = Pick<PackedPage, "bytes" | "about">;

/**
 * Keeps finished pages of the directory: all of them packed in a file, and in memory, unpacked, those
 * that are asked for again and again. A change that is committed anywhere shows within a second: its
 * announcement makes the pages untrue whose rows it touches, and corrects the total of the other
 * pages of its lists. While announcements cannot be heard, nothing is found and all is made anew.
 * @param packed belongs to the caller, who closes it
 */
export async function createPageCache<Page extends object>(
  sql: Sql,
  packed: PackedPages,
  { maxUnpackedBytes, pack, unpack, weigh, grow, onFault }: PageCacheOptions<Page>,
): Promise<PageCache<Page>> {
  const unpacked = new LRUCache<string, Entry<Page>>({
    maxSize: maxUnpackedBytes,
    sizeCalculation: ({ page }) => Math.ceil(weigh(page)) + OVERHEAD,
    dispose(entry, name, reason) {
      if (reason === "evict" && entry.isAhead) guarded(name, () => packed.setState(name, entry));
    },
  });
  const onceAsked = new LRUCache<string, true>({ max: MOST_ONCE_ASKED });
  let faultAt = Number.NEGATIVE_INFINITY;
  const underWay = new Map<string, { since: number; page: Promise<Page> }>();

  const recent = new RecentChanges();
  const announcements = await followAnnouncements(sql, (changes) => {
    if (changes !== "everything") return recent.tell(changes);
    recent.forget();
    unpacked.clear();
    packed.clear();
  });

  function find(name: string): Page | undefined {
    if (!announcements.areCurrent()) return undefined;
    const entry = unpacked.get(name) ?? unpackEntry(name);
    if (!entry) return undefined;
    if (entry.seen === recent.latest || isStillTrue(entry)) return entry.page;
    unpacked.delete(name);
    packed.delete(name);
    return undefined;
  }

  function unpackEntry(name: string): Entry<Page> | undefined {
    const kept = guarded(name, () => packed.get(name));
    if (!kept) return undefined;
    // Many pages are asked for now and then: they must not put out those that are wanted all the time.
    const stays = onceAsked.delete(name);
    if (!stays) onceAsked.set(name, true);
    const { about, standing, seen, growth } = kept;
    const asPacked = unpack({ about, bytes: stays ? new Uint8Array(kept.bytes) : kept.bytes });
    const page = growth === 0 ? asPacked : grow(asPacked, growth);
    const entry = { page, standing, seen, growth, isAhead: false };
    if (stays) unpacked.set(name, entry);
    return entry;
  }

  /** If so, the entry is as of now. */
  function isStillTrue(entry: Entry<Page>): boolean {
    const touches = recent.since(entry.seen, entry.standing.subject);
    if (!touches) return false;
    let growth = 0;
    for (const touch of touches) {
      const effect = effectOf(entry.standing, touch);
      if (effect === "untrue") return false;
      growth += effect;
    }
    if (growth !== 0) entry.page = grow(entry.page, growth);
    entry.growth += growth;
    entry.seen = recent.latest;
    entry.isAhead = true;
    return true;
  }

  async function makeAndKeep(name: string, work: () => Promise<Made<Page>>): Promise<Page> {
    const state = { seen: recent.latest, growth: 0 };
    const { page, shows } = await work();
    if (shows && packed.maxBytes > 0) {
      // It may be there of before, when announcements could not be heard for a moment.
      unpacked.delete(name);
      const standing = standingOf(shows);
      guarded(name, () => packed.set(name, { ...pack(page), standing, ...state }));
    }
    return page;
  }

  /** A fault of the file costs a page its place there, and nobody an answer. */
  function guarded<Result>(name: string, use: () => Result): Result | undefined {
    try {
      return use();
    } catch (error) {
      packed.delete(name);
      const now = performance.now();
      if (now - faultAt > FAULT_INTERVAL_MS) onFault(error);
      faultAt = now;
      return undefined;
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

/** Names of pages that stay unpacked when they are asked for again before so many others. */
const MOST_ONCE_ASKED = 3_000;

/** What an unpacked page weighs beside itself, in bytes: its name and its entry. */
const OVERHEAD = 500;

interface Entry<Page> extends State {
  page: Page;
  standing: Standing;
  /** Whether its state is not that of the packed page any more. */
  isAhead: boolean;
}
