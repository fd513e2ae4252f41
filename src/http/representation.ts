/** How a body is coded on its way; what is rather sent, first: gzip is kept with all that is kept. */
export const codings = ["gzip", "zstd", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. They are made when they are first asked for. */
export class Representation {
  readonly about: About;
  readonly #source: Source;

  /** @param about what is said of a body whose bytes have been kept elsewhere */
  constructor(about: About, source: Source) {
    this.about = about;
    this.#source = source;
  }

  /** @param end what follows the text, and may be another one later: ASCII */
  static of(text: string, end = ""): Representation {
    const bytes = new TextEncoder().encode(text + end);
    const start = bytes.byteLength - end.length;
    const tag = tagOf(hash(bytes.subarray(0, start)), end);
    const forms = new Map<string, Bytes>();
    const about = { size: bytes.byteLength, start, tag, otherEnd: null };
    return new Representation(about, {
      bytes: () => bytes,
      findForm: (coding) => forms.get(coding),
      keepForm: (coding, _tag, coded) => forms.set(coding, coded),
    });
  }

  /** Whether a coded form is smaller than the frame around it makes it larger. */
  get isWorthCoding(): boolean {
    return this.about.size >= SMALLEST_CODED;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    const { tag } = this.about;
    return coding === "identity" ? tag : `${tag.slice(0, -1)}-${coding}"`;
  }

  /** They may be good only until others are asked for, of this body or another: who keeps them keeps a copy. */
  bytes(coding: Coding): Bytes {
    if (coding === "identity") return this.#plain();
    const { tag } = this.about;
    const known = this.#source.findForm(coding, tag);
    if (known) return known;
    const coded = code(this.#plain(), coding);
    this.#source.keepForm(coding, tag, coded);
    return coded;
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.#plain());
  }

  #plain(): Bytes {
    const bytes = this.#source.bytes();
    const { size, start, otherEnd } = this.about;
    if (otherEnd === null) return bytes;
    const plain = new Uint8Array(size);
    plain.set(bytes.subarray(0, start));
    new TextEncoder().encodeInto(otherEnd, plain.subarray(start));
    return plain;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Where the bytes of a body are. */
export interface Source {
  /** The body as it was made, with the end it had then. */
  bytes(): Bytes;
  /** A form of the body with that tag, if it has been kept. */
  findForm(coding: Coding, tag: string): Bytes | undefined;
  keepForm(coding: Coding, tag: string, bytes: Bytes): void;
}

/** What is said of a body. */
export interface About {
  /** Bytes before any coding. */
  readonly size: number;
  /** How many of them stand before the end that may be another one. */
  readonly start: number;
  /** That of the plain form. */
  readonly tag: string;
  /** What has come in place of the end that the body was made with. */
  readonly otherEnd: string | null;
}

/** What is said of the same body with another end. */
export function withEnd({ start, tag }: About, end: string): About {
  return { size: start + end.length, start, tag: tagOf(startOf(tag), end), otherEnd: end };
}

/** The same for the same bytes, whether or not they came about by another end. */
const tagOf = (start: string, end: string) =>
  end === "" ? `"${start}"` : `"${start}.${hash(end)}"`;
const startOf = (tag: string) => tag.slice(1, -1).split(".", 1)[0] ?? "";

const SMALLEST_CODED = 512;

const hash = (bytes: Uint8Array | string) => Bun.hash.xxHash64(bytes).toString(36);

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
