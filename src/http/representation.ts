/** How a body is coded on its way, in order of preference: gzip is kept with all that is kept. */
export const codings = ["gzip", "zstd", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. They are made when they are first asked for. */
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
      // Not by a template, whose string would be kept in parts.
      tag: JSON.stringify(Bun.hash.xxHash64(bytes).toString(36)),
      size: bytes.byteLength,
      bytes: () => bytes,
      findForm: (coding) => forms.get(coding),
      keepForm: (coding, coded) => forms.set(coding, coded),
    });
  }

  /** Whether a coded form is smaller than the frame around it makes it larger. */
  get isWorthCoding(): boolean {
    return this.#source.size >= SMALLEST_CODED;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    const { tag } = this.#source;
    return coding === "identity" ? tag : `${tag.slice(0, -1)}-${coding}"`;
  }

  /** They may be good only until others are asked for, of this body or another: who keeps them keeps a copy. */
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
export interface Source {
  /** That of the plain form. */
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
    // What the coders return may be a part of something larger: hence in memory of its own.
    case "gzip":
      // Quicker than zlib for what is there as a whole.
      return new Uint8Array(Bun.gzipSync(plain, { library: "libdeflate", level: 6 }));
    case "zstd":
      return new Uint8Array(Bun.zstdCompressSync(plain));
  }
}
