import type { Logger } from "pino";
import type { Sql } from "../store/postgres.ts";
import { followAnnouncements } from "./announcements.ts";
import {
  KeptPage,
  keptPages,
  LostPageError,
  type Packed,
  type PageFile,
  type Stored,
} from "./kept-pages.ts";
import { RecentChanges } from "./recent-changes.ts";
import { effectOf, type Shown, type Touch } from "./touched.ts";

/** A cache of finished pages, each valid until a change touches it. */
export interface PageCache<Page> {
  /** The page of that name, if it is cached and still true. */
  find(name: string): Page | undefined;
  /** The cached page, or a new one, made once for all concurrent callers, and cached. */
  findOrMake(name: string, work: () => Promise<Made<Page>>): Page | Promise<Page>;
  /** Whether every look-up has been a miss for seconds, because announcements do not arrive. */
  isFailing(): boolean;
  stop(): Promise<void>;
}

export interface Made<Page> {
  page: Page;
  /** Null: not to be cached. */
  shows: Shown | null;
}

/** How a page is written to the cache, and read from it. */
export interface Packing<Page, Rest> {
  pack(page: Page): Packed<Rest>;
  /** Restores a packed page. */
  unpack(stored: Stored): Page;
  /** The same page when its list has `growth` more businesses, or fewer if that is negative. */
  grow(stored: Stored, rest: Rest, growth: number): Page;
}

/**
 * Caches finished pages of the directory in a file, and their metadata in memory. A change that is committed
 * anywhere shows within a second: its announcement invalidates the pages whose rows it touches, and corrects
 * the total of the other pages of its lists. While announcements do not arrive, every look-up is a miss.
 * @param file belongs to the caller, who closes it
 * @throws what followAnnouncements throws, as behind a pooler in transaction mode
 */
export async function createPageCache<Page extends object, Rest>(
  sql: Sql,
  file: PageFile,
  log: Logger,
  { pack, unpack, grow }: Packing<Page, Rest>,
): Promise<PageCache<Page>> {
  const pages = keptPages<Rest>(file, log);
  const underWay = new Map<string, { since: number; page: Promise<Page> }>();

  const recent = new RecentChanges();
  const announcements = await followAnnouncements(sql, log, (changes) => {
    if (changes !== "everything") return recent.tell(changes);
    recent.forget();
    file.clear();
  });

  function find(name: string): Page | undefined {
    if (!announcements.areCurrent()) return undefined;
    const kept = file.get(name);
    if (!(kept instanceof KeptPage)) return undefined;
    if (kept.seen === recent.latest) return unpack(pages.open(name, kept));
    const touches = recent.since(kept.seen, kept.subject);
    if (touches?.length === 0) {
      kept.seen = recent.latest;
      return unpack(pages.open(name, kept));
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

  /** A page after the changes that touched its subject; null when it is no longer true. */
  function touched(name: string, kept: KeptPage, touches: readonly Touch[]): Page | null {
    const { shows, rest } = pages.readHeader(kept);
    let growth = 0;
    for (const touch of touches) {
      const effect = effectOf(shows, touch);
      if (effect === "untrue") return null;
      growth += effect;
    }
    const stored = pages.open(name, kept);
    if (growth === 0) {
      kept.seen = recent.latest;
      return unpack(stored);
    }
    const page = grow(stored, rest, growth);
    pages.keep(name, pack(page), shows, recent.latest);
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
    // Not if somebody has begun to make the page again since: that newer page may be cached already, and show a
    // change that has not been announced yet. If this older page replaced it, the change would vanish again.
    if (shows && file.size > 0 && isLatest()) {
      pages.keep(name, pack(page), shows, seen);
    }
    return page;
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
    isFailing: () => announcements.areMissing(),
    stop: () => announcements.stop(),
  };
}

/** A page that has been in the making for longer may be too old for whoever asks now. */
const LONGEST_JOIN_MS = 500;
