/** How a body is coded on its way; what is rather sent, first: gzip is kept with all that is kept. */
export const codings = ["gzip", "zstd", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A body in each form in which it is sent. They are made when they are first asked for. */
export class Representation {
  readonly #forms: Forms;
  readonly #about: About;

  private constructor(forms: Forms, about: About) {
    this.#forms = forms;
    this.#about = about;
  }

  /** @param end what follows the text, and may be another one later: ASCII */
  static of(text: string, end = ""): Representation {
    const identity = new TextEncoder().encode(text + end);
    const start = identity.byteLength - end.length;
    const tag = tagOf(hash(identity.subarray(0, start)), end);
    return new Representation({ identity }, { size: identity.byteLength, start, tag });
  }

  /** The same with another end. */
  withEnd(end: string): Representation {
    const { start } = this.#about;
    const identity = new Uint8Array(start + end.length);
    identity.set(this.#forms.identity.subarray(0, start));
    new TextEncoder().encodeInto(end, identity.subarray(start));
    const tag = tagOf(startOf(this.#about.tag), end);
    return new Representation({ identity }, { size: identity.byteLength, start, tag });
  }

  /** Its plain form and its gzip form, and what else has to be known to have all of it again. */
  pack(): { bytes: Bytes; about: About } {
    const bytes = Buffer.concat([this.#forms.identity, this.bytes("gzip")]);
    return { bytes, about: this.#about };
  }

  static unpack({ bytes, about }: ReturnType<Representation["pack"]>): Representation {
    return new Representation(
      { identity: bytes.subarray(0, about.size), gzip: bytes.subarray(about.size) },
      about,
    );
  }

  /** Whether a coded form is smaller than the frame around it makes it larger. */
  get isWorthCoding(): boolean {
    return this.#about.size >= SMALLEST_CODED;
  }

  /** Bytes before any coding. */
  get size(): number {
    return this.#about.size;
  }

  /** A strong tag (RFC 9110, section 8.8.3): it names the very bytes, so each coding has its own. */
  tag(coding: Coding): string {
    const { tag } = this.#about;
    return coding === "identity" ? tag : `${tag.slice(0, -1)}-${coding}"`;
  }

  bytes(coding: Coding): Bytes {
    this.#forms[coding] ??= code(this.#forms.identity, coding);
    return this.#forms[coding];
  }

  /** The body as text. */
  toString(): string {
    return new TextDecoder().decode(this.#forms.identity);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;
type Forms = { identity: Bytes } & Partial<Record<Coding, Bytes>>;

/** What is said of a body; can be written as JSON. */
export interface About {
  /** Bytes before any coding. */
  size: number;
  /** How many of them stand before the end that may be another one. */
  start: number;
  /** That of the plain form. */
  tag: string;
}

/** The same for the same bytes, whether or not they came about by another end. */
const tagOf = (start: string, end: string) =>
  end === "" ? `"${start}"` : `"${start}.${hash(end)}"`;
const startOf = (tag: string) => tag.slice(1, -1).split(".", 1)[0] ?? "";

const SMALLEST_CODED = 512;

const hash = (bytes: Uint8Array | string) => Bun.hash.xxHash64(bytes).toString(36);

function code(plain: Bytes, coding: Coding): Bytes {
  switch (coding) {
    // What the coders return may be a part of something larger: hence in memory of its own.
    case "gzip":
      // Quicker than zlib for what is there as a whole.
      return new Uint8Array(Bun.gzipSync(plain, { library: "libdeflate", level: 6 }));
    case "zstd":
      return new Uint8Array(Bun.zstdCompressSync(plain));
    case "identity":
      return plain;
  }
}
