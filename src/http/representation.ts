/** How a body is coded on its way; the better one first. */
export const codings = ["zstd", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent, made when first asked for and then kept. */
export class Representation {
  readonly #plain: Uint8Array<ArrayBuffer>;
  #hash: string | undefined;
  #coded: Partial<Record<Coding, Uint8Array<ArrayBuffer>>> | undefined;

  constructor(text: string) {
    this.#plain = new TextEncoder().encode(text);
  }

  /** Bytes before any coding. */
  get size(): number {
    return this.#plain.byteLength;
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.#plain);
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    this.#hash ??= Bun.hash.xxHash64(this.#plain).toString(36);
    return coding === "identity" ? `"${this.#hash}"` : `"${this.#hash}-${coding}"`;
  }

  bytes(coding: Coding): Uint8Array<ArrayBuffer> {
    if (coding === "identity") return this.#plain;
    this.#coded ??= {};
    this.#coded[coding] ??= encode(this.#plain, coding);
    return this.#coded[coding];
  }
}

function encode(
  plain: Uint8Array<ArrayBuffer>,
  coding: Exclude<Coding, "identity">,
): Uint8Array<ArrayBuffer> {
  if (coding === "gzip") return Bun.gzipSync(plain, { level: 6 });
  return new Uint8Array(Bun.zstdCompressSync(plain));
}
