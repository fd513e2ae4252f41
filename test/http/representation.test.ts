import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { codings, Representation } from "../../src/http/representation.ts";

const text = `{"businesses":[${'{"name":"Caffè Nero"},'.repeat(99)}{}],"total":100}`;

const decode = {
  identity: (bytes: Uint8Array) => bytes,
  gzip: (bytes: Uint8Array) => gunzipSync(bytes),
  zstd: (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
};

test("a body is the same in every coding, and is encoded once in each", () => {
  const body = Representation.of(text);
  expect(String(body)).toBe(text);
  for (const coding of codings) {
    const bytes = body.bytes(coding);
    expect(new TextDecoder().decode(decode[coding](bytes))).toBe(text);
    expect(body.bytes(coding)).toBe(bytes);
  }
});

test("an ETag depends on the bytes alone, however the body was made", () => {
  const bodies = [text, `${text} `, "", "{}"];
  const tags = bodies.flatMap((body) =>
    codings.map((coding) => Representation.of(body).tag(coding)),
  );
  expect(new Set(tags).size).toBe(tags.length);
  expect(tags.filter((tag) => !/^"[\w-]+"$/.test(tag))).toEqual([]);
  for (const body of bodies) {
    const same = Representation.of(new TextEncoder().encode(body));
    expect(same.tag("gzip")).toBe(Representation.of(body).tag("gzip"));
  }
});

test("a body of less than 128 bytes, which a coding might make larger, is not compressed", () => {
  expect(Representation.of("x".repeat(127)).isWorthCoding).toBe(false);
  expect(Representation.of("x".repeat(128)).isWorthCoding).toBe(true);
});
