/**
 * Which texts have been seen, by a 64-bit hash of each: in a feed of five million, two collide once in a
 * million feeds. A hash table of numbers with open addressing: a Set takes ten times as much memory.
 */
export class SeenTexts {
  /** Two numbers to a slot; a slot whose second is 0 is free. */
  #slots = new Uint32Array(2 * FIRST_SIZE);
  #count = 0;

  /** @returns whether the text is new */
  add(text: string): boolean {
    // One hash of 64 bits: two of 32, from two seeds, would mostly collide together.
    const hash = Bun.hash.xxHash64(text);
    const isNew = insert(this.#slots, Number(hash & LOWER_HALF), Number(hash >> 32n) || 1);
    if (isNew && ++this.#count > this.#slots.length * FULLEST) this.#grow();
    return isNew;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#slots.length; at += 2) {
      const second = this.#slots[at + 1] as number;
      if (second !== 0) insert(slots, this.#slots[at] as number, second);
    }
    this.#slots = slots;
  }
}

/** Slots of a new set, a power of two. */
const FIRST_SIZE = 1 << 16;

const LOWER_HALF = 0xffff_ffffn;

/** The highest load, in texts per number of the table: 0.35 fills 70 of 100 slots. */
const FULLEST = 0.35;

/** By linear probing. @returns false when it is there already */
function insert(slots: Uint32Array, first: number, second: number): boolean {
  const mask = slots.length - 1;
  for (let at = (2 * first) & mask; ; at = (at + 2) & mask) {
    if (slots[at + 1] === 0) {
      slots[at] = first;
      slots[at + 1] = second;
      return true;
    }
    if (slots[at] === first && slots[at + 1] === second) return false;
  }
}
