import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { codings, Representation } from "../../src/http/representation.ts";

const start = `{"businesses":[${'{"name":"Caffè Nero"},'.repeat(99)}{}]`;
const [early, late] = [',"total":100}', ',"total":99,"pages":5}'];

const decode = {
  identity: (bytes: Uint8Array) => bytes,
  gzip: (bytes: Uint8Array) => gunzipSync(bytes),
  zstd: (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
};

for (const isPacked of [false, true]) {
  const what = isPacked ? "a packed body" : "a body";
  test(`${what} says the same in each form, also with another end`, () => {
    const made = Representation.of(start, early);
    const body = isPacked ? Representation.unpack(made.pack()) : made;
    const other = body.withEnd(late);
    const third = other.withEnd("");
    for (const [form, end] of [
      [body, early],
      [other, late],
      [third, ""],
      [body, early],
    ] as const) {
      for (const coding of codings) {
        const text = new TextDecoder().decode(decode[coding](form.bytes(coding)));
        expect(text).toBe(start + end);
      }
      expect(String(form)).toBe(start + end);
    }
  });
}

test("a tag names the very bytes, however the body came about", () => {
  const body = Representation.unpack(Representation.of(start, early).pack());
  const tags = [body, body.withEnd(late), body.withEnd("")].flatMap((form) =>
    codings.map((coding) => form.tag(coding)),
  );
  expect(new Set(tags).size).toBe(tags.length);
  for (const coding of codings) {
    expect(body.withEnd(late).tag(coding)).toBe(Representation.of(start, late).tag(coding));
    expect(body.withEnd(late).withEnd(early).tag(coding)).toBe(body.tag(coding));
  }
});
