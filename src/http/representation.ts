import { LRUCache } from "lru-cache";

/** How a body is coded on its way; the better one first. */
export const codings = ["zstd", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. */
export class Representation {
  /** Bytes before any coding. */
  readonly size: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #coding: Coding = "identity";
  #hash: string | undefined;

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text);
    this.size = this.#bytes.byteLength;
  }

  /**
   * For one that is sent again and again: keeps only its smallest form, a quarter of it; of the
   * others those that are asked for most.
   */
  pack(): this {
    if (this.#coding === "identity" && this.isWorthCoding) {
      unpacked.set(this.tag("identity"), this.#bytes);
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
    this.#hash ??= hash(this.#bytes);
    return coding === "identity" ? `"${this.#hash}"` : `"${this.#hash}-${coding}"`;
  }

  bytes(coding: Coding): Uint8Array<ArrayBuffer> {
    if (coding === this.#coding) return this.#bytes;
    if (this.#coding === "identity") return code(this.#bytes, coding);
    const tag = this.tag(coding);
    let form = unpacked.get(tag);
    if (!form) {
      form = code(Bun.zstdDecompressSync(this.#bytes), coding);
      unpacked.set(tag, form);
    }
    return form;
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.bytes("identity"));
  }
}

const SMALLEST_CODED = 512;

/** Other forms of packed bodies by their tags, the most recently sent of them. */
const unpacked = new LRUCache<string, Uint8Array<ArrayBuffer>>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (bytes) => bytes.byteLength + 200,
});

const hash = (bytes: Uint8Array) => Bun.hash.xxHash64(bytes).toString(36);

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
