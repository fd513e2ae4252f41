import { LRUCache } from "lru-cache";

/** How a body is coded on its way; the better one first. */
export const codings = ["zstd", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. */
export class Representation {
  #bytes: Uint8Array<ArrayBuffer>;
  #coding: Coding = "identity";
  /** Bytes before any coding. */
  #size: number;
  /** How many of these are the end. */
  #endSize: number;
  /** That of the plain form. */
  #tag: string;
  /** Of one that was given another end: the one that it was made of, and that end. */
  #origin: { first: Representation; end: string } | null = null;

  /** @param end what follows the text, and may be another one later: ASCII */
  constructor(text: string, end = "") {
    this.#bytes = new TextEncoder().encode(text + end);
    this.#size = this.#bytes.byteLength;
    this.#endSize = end.length;
    this.#tag = tagOf(hash(this.#bytes.subarray(0, this.#startSize)), end);
  }

  /** The same with another end. It shares the memory of this one. */
  withEnd(end: string): Representation {
    const first = this.#origin?.first ?? this;
    const changed = new Representation("");
    changed.#size = first.#startSize + end.length;
    changed.#endSize = end.length;
    changed.#tag = tagOf(startOf(first.#tag), end);
    changed.#origin = { first, end };
    return changed;
  }

  /**
   * For one that is sent again and again: keeps only its smallest form, a quarter of it; of the
   * others those that are asked for most.
   */
  pack(): this {
    if (this.#coding === "identity" && this.isWorthCoding) {
      forms.set(this.#tag, this.#bytes);
      this.#bytes = code(this.#bytes, "zstd");
      this.#coding = "zstd";
    }
    return this;
  }

  /** Whether a coded form is smaller than the frame around it makes it larger. */
  get isWorthCoding(): boolean {
    return this.#size >= SMALLEST_CODED;
  }

  /** Bytes that it takes up by itself. */
  get weight(): number {
    return this.#bytes.byteLength;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    return coding === "identity" ? this.#tag : `${this.#tag.slice(0, -1)}-${coding}"`;
  }

  bytes(coding: Coding): Uint8Array<ArrayBuffer> {
    if (!this.#origin && coding === this.#coding) return this.#bytes;
    if (!this.#origin && this.#coding === "identity") return code(this.#bytes, coding);
    const tag = this.tag(coding);
    let form = forms.get(tag);
    if (!form) {
      form = code(this.#plain(), coding);
      forms.set(tag, form);
    }
    return form;
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.bytes("identity"));
  }

  get #startSize(): number {
    return this.#size - this.#endSize;
  }

  #plain(): Uint8Array {
    if (!this.#origin) return Bun.zstdDecompressSync(this.#bytes);
    const { first, end } = this.#origin;
    const start = first.bytes("identity").subarray(0, first.#startSize);
    return Buffer.concat([start, new TextEncoder().encode(end)]);
  }
}

/** The same for the same bytes, whether or not they came about by another end. */
const tagOf = (start: string, end: string) =>
  end === "" ? `"${start}"` : `"${start}.${hash(end)}"`;
const startOf = (tag: string) => tag.slice(1, -1).split(".", 1)[0] ?? "";

const SMALLEST_CODED = 512;

/** Further forms of bodies by their tags, the most recently sent of them. */
const forms = new LRUCache<string, Uint8Array<ArrayBuffer>>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (bytes) => bytes.byteLength + 200,
});

const hash = (bytes: Uint8Array | string) => Bun.hash.xxHash64(bytes).toString(36);

/** In memory of its own: what the coders return may be a part of something larger. */
function code(plain: Uint8Array<ArrayBufferLike>, coding: Coding): Uint8Array<ArrayBuffer> {
  switch (coding) {
    case "zstd":
      return new Uint8Array(Bun.zstdCompressSync(plain));
    case "gzip":
      return new Uint8Array(Bun.gzipSync(new Uint8Array(plain), { level: 6 }));
    case "identity":
      return new Uint8Array(plain);
  }
}
