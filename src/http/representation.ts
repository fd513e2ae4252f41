/**
 * How a body is coded on its way, in order of preference. Nearly every caller accepts gzip: as the first
 * choice it is the one coded form that has to be made, and kept, for all of them.
 */
export const codings = ["gzip", "zstd", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body, plain and in each coding in which it is sent. Coded forms are made on first use. */
export class Representation {
  readonly #source: Source;

  /** @param source where a body is that has been kept elsewhere */
  constructor(source: Source) {
    this.#source = source;
  }

  static of(body: string | Bytes): Representation {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const forms = new Map<string, Bytes>();
    return new Representation({
      // Not a template literal: its string would stay in memory as a tree of its parts.
      tag: JSON.stringify(Bun.hash.xxHash64(bytes).toString(36)),
      size: bytes.byteLength,
      bytes: () => bytes,
      findForm: (coding) => forms.get(coding),
      keepForm: (coding, coded) => forms.set(coding, coded),
    });
  }

  /** Whether compression saves more than the frame around it adds. */
  get isWorthCoding(): boolean {
    return this.#source.size >= SMALLEST_CODED;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    const { tag } = this.#source;
    return coding === "identity" ? tag : `${tag.slice(0, -1)}-${coding}"`;
  }

  /** May be valid only until bytes of this body or another are next asked for: to keep them, copy them. */
  bytes(coding: Coding): Bytes {
    if (coding === "identity") return this.#source.bytes();
    const known = this.#source.findForm(coding);
    if (known) return known;
    const coded = code(this.#source.bytes(), coding);
    this.#source.keepForm(coding, coded);
    return coded;
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.#source.bytes());
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Where a body and its other forms are. */
interface Source {
  /** The tag of the plain form, quotes included. */
  readonly tag: string;
  /** Bytes before any coding. */
  readonly size: number;
  bytes(): Bytes;
  /** A form of the body, if it has been kept. */
  findForm(coding: Coding): Bytes | undefined;
  keepForm(coding: Coding, bytes: Bytes): void;
}

const SMALLEST_CODED = 512;

function code(plain: Bytes, coding: Exclude<Coding, "identity">): Bytes {
  switch (coding) {
    // Copied, since what the coders return may be a view of a larger buffer.
    case "gzip":
      // Quicker than zlib when all of the input is at hand.
      return new Uint8Array(Bun.gzipSync(plain, { library: "libdeflate", level: 6 }));
    case "zstd":
      return new Uint8Array(Bun.zstdCompressSync(plain));
  }
}
