import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { codings, Representation, withEnd } from "../../src/http/representation.ts";

const start = `{"businesses":[${'{"name":"Caffè Nero"},'.repeat(99)}{}]`;
const [early, late] = [',"total":100}', ',"total":99,"pages":5}'];

const decode = {
  identity: (bytes: Uint8Array) => bytes,
  gzip: (bytes: Uint8Array) => gunzipSync(bytes),
  zstd: (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
};

/** The same body with another end, its bytes as they were: as it is kept. */
function ending(body: Representation, end: string): Representation {
  const bytes = body.bytes("identity");
  const forms = new Map<string, Uint8Array<ArrayBuffer>>();
  return new Representation(withEnd(body.about, end), {
    bytes: () => bytes,
    findForm: (coding, tag) => forms.get(coding + tag),
    keepForm: (coding, tag, coded) => forms.set(coding + tag, coded),
  });
}

test("a body says the same in each form, also with another end", () => {
  const body = Representation.of(start, early);
  const other = ending(body, late);
  for (const [form, end] of [
    [body, early],
    [other, late],
    [ending(other, ""), ""],
    [body, early],
  ] as const) {
    for (const coding of codings) {
      const text = () => new TextDecoder().decode(decode[coding](form.bytes(coding)));
      expect(text()).toBe(start + end);
      // It is kept by now.
      expect(text()).toBe(start + end);
    }
    expect(String(form)).toBe(start + end);
    expect(form.about.size).toBe(form.bytes("identity").byteLength);
  }
});

test("a tag names the very bytes, however the body came about", () => {
  const body = Representation.of(start, early);
  const tags = [body, ending(body, late), ending(body, "")].flatMap((form) =>
    codings.map((coding) => form.tag(coding)),
  );
  expect(new Set(tags).size).toBe(tags.length);
  for (const coding of codings) {
    expect(ending(body, late).tag(coding)).toBe(Representation.of(start, late).tag(coding));
    expect(ending(ending(body, late), early).tag(coding)).toBe(body.tag(coding));
  }
});
