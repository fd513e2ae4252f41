import { LRUCache } from "lru-cache";

/** How a body is coded on its way; the better one first. */
export const codings = ["zstd", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. */
export class Representation {
  #size: number;
  readonly #end: string;
  #bytes: Uint8Array<ArrayBuffer>;
  #coding: Coding = "identity";
  /** Of what comes before the end. */
  #hash: string | undefined;
  #tag: string | undefined;
  /** The one that this one differs from in its end alone; it has the bytes. */
  #first: Representation | null = null;

  /** @param end what follows the text, and may be another one later: ASCII */
  constructor(text: string, end = "") {
    this.#bytes = new TextEncoder().encode(text + end);
    this.#end = end;
    this.#size = this.#bytes.byteLength;
  }

  /** Bytes before any coding. */
  get size(): number {
    return this.#size;
  }

  /** The same with another end. It shares the memory of this one. */
  withEnd(end: string): Representation {
    const first = this.#first ?? this;
    const changed = new Representation("", end);
    changed.#first = first;
    changed.#size += first.#startSize;
    changed.#hash = first.#startHash();
    return changed;
  }

  /**
   * For one that is sent again and again: keeps only its smallest form, a quarter of it; of the
   * others those that are asked for most.
   */
  pack(): this {
    if (this.#coding === "identity" && this.isWorthCoding) {
      forms.set(this.tag("identity"), this.#bytes);
      this.#bytes = code(this.#bytes, "zstd");
      this.#coding = "zstd";
    }
    return this;
  }

  /** Whether a coded form is smaller than the frame around it makes it larger. */
  get isWorthCoding(): boolean {
    return this.size >= SMALLEST_CODED;
  }

  /** Bytes that it takes up by itself. */
  get weight(): number {
    return this.#bytes.byteLength;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    this.#tag ??= this.#startHash() + (this.#end === "" ? "" : `.${hash(this.#end)}`);
    return coding === "identity" ? `"${this.#tag}"` : `"${this.#tag}-${coding}"`;
  }

  bytes(coding: Coding): Uint8Array<ArrayBuffer> {
    if (!this.#first && coding === this.#coding) return this.#bytes;
    if (!this.#first && this.#coding === "identity") return code(this.#bytes, coding);
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
    return this.#size - this.#end.length;
  }

  #startHash(): string {
    this.#hash ??= hash(this.#bytes.subarray(0, this.#startSize));
    return this.#hash;
  }

  #plain(): Uint8Array {
    const first = this.#first;
    if (!first) return Bun.zstdDecompressSync(this.#bytes);
    const start = first.bytes("identity").subarray(0, first.#startSize);
    return Buffer.concat([start, new TextEncoder().encode(this.#end)]);
  }
}

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
