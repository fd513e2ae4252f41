/**
 * Content codings, in order of preference. Nearly every caller accepts gzip: as the first choice it is mostly
 * the only coded form that has to be made and kept.
 */
export const codings = ["gzip", "zstd", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body, plain and in each coding. Coded forms are made on first use. */
export class Representation {
  readonly #source: Source;

  /** @param source a body that is stored elsewhere */
  constructor(source: Source) {
    this.#source = source;
  }

  static of(body: string | Bytes): Representation {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const forms = new Map<string, Bytes>();
    return new Representation({
      // Not a template literal: its string would stay in memory as a rope of its parts.
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

  /** A strong tag (RFC 9110, section 8.8.3): it identifies the exact bytes, so each coding has its own. */
  tag(coding: Coding): string {
    const { tag } = this.#source;
    return coding === "identity" ? tag : `${tag.slice(0, -1)}-${coding}"`;
  }

  /** May be valid only until the bytes of this body or another are next requested: copy them to keep them. */
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

/** Where a body and its coded forms are stored. */
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

const SMALLEST_CODED = 128;

function code(plain: Bytes, coding: Exclude<Coding, "identity">): Bytes {
  const coded =
    coding === "gzip"
      ? // Faster than zlib when the whole input is at hand.
        Bun.gzipSync(plain, { library: "libdeflate", level: 6 })
      : Bun.zstdCompressSync(plain);
  // Copied, since compressors may return a view of a larger buffer.
  return new Uint8Array(coded);
}
