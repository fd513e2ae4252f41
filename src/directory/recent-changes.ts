import type { Change } from "./announcements.ts";
import { type Subject, type Touch, touchesOf } from "./touched.ts";

/**
 * The changes that were reported recently. A page is compared with them when it is requested, so a change
 * costs nothing per cached page.
 */
export class RecentChanges {
  /** How many times something was reported. Changes that are reported together share a number. */
  #latest = 0;
  /** Changes up to this number are no longer known. */
  #forgotten = 0;
  #older = createGeneration(0);
  #newer = createGeneration(0);

  /** The number of the last change reported. What is read from now on includes all up to it. */
  get latest(): number {
    return this.#latest;
  }

  tell(changes: readonly Change[]): void {
    this.#latest += 1;
    for (const change of changes) {
      for (const [subject, touch] of touchesOf(change, this.#latest)) {
        this.#newer.bySubject.getOrInsertComputed(subject, () => []).push(touch);
        this.#newer.size += 1;
      }
    }
    if (this.#newer.size < MOST_TOUCHES) return;
    this.#forgotten = this.#newer.after;
    this.#older = this.#newer;
    this.#newer = createGeneration(this.#latest);
  }

  /** Everything may have changed. */
  forget(): void {
    this.#latest += 1;
    this.#forgotten = this.#latest;
    this.#older = createGeneration(this.#latest);
    this.#newer = createGeneration(this.#latest);
  }

  /** What touched a subject after that number, in order; null when that is no longer known. */
  since(number: number, subject: Subject): Touch[] | null {
    if (number < this.#forgotten) return null;
    return [this.#older, this.#newer].flatMap(({ bySubject }) => {
      const touches = bySubject.get(subject) ?? [];
      // From the end: a page that is often requested has missed only the last few.
      const place = touches.findLastIndex((touch) => touch.number <= number);
      return touches.slice(place + 1);
    });
  }
}

/**
 * Touches in each of the two generations: when the newer one has this many, the older one is forgotten. A
 * change makes about eight.
 */
const MOST_TOUCHES = 50_000;

/** For changes after this number. */
const createGeneration = (after: number) => ({
  after,
  bySubject: new Map<Subject, Touch[]>(),
  size: 0,
});
