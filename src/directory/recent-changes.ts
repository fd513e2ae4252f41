import type { Change } from "./announcements.ts";
import { type Subject, type Touch, touchesOf } from "./touched.ts";

/**
 * What was told of changes lately. A page is compared with it when it is asked for, so that a change
 * costs nothing for each of the pages that are kept.
 */
export class RecentChanges {
  /** How often something was told. */
  #latest = 0;
  /** What was told up to then is no longer known. */
  #forgotten = 0;
  #older = createGeneration(0);
  #newer = createGeneration(0);

  /** The number of what was told last. What is read from now on has all up to it. */
  get latest(): number {
    return this.#latest;
  }

  tell(changes: readonly Change[]): void {
    this.#latest += 1;
    for (const [subject, touch] of touchesOf(changes, this.#latest)) {
      const earlier = this.#newer.bySubject.get(subject);
      if (earlier) earlier.push(touch);
      else this.#newer.bySubject.set(subject, [touch]);
      this.#newer.size += 1;
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

  /** What touched a subject after that number, in its order; null when that is no longer known. */
  since(number: number, subject: Subject): Touch[] | null {
    if (number < this.#forgotten) return null;
    return [this.#older, this.#newer].flatMap(({ bySubject }) => {
      const touches = bySubject.get(subject) ?? [];
      // Who asks often has missed little: it stands at the end.
      const place = touches.findLastIndex((touch) => touch.number <= number);
      return touches.slice(place + 1);
    });
  }
}

/** Touches in a generation; there are two. A change has some eight. */
const MOST_TOUCHES = 50_000;

interface Generation {
  /** It has what was told after this number. */
  after: number;
  bySubject: Map<Subject, Touch[]>;
  /** How many touches it has. */
  size: number;
}

const createGeneration = (after: number): Generation => ({ after, bySubject: new Map(), size: 0 });
