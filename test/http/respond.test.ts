import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { json, ok, okFinished, withHeaders } from "../../src/http/answer.ts";
import { Representation } from "../../src/http/representation.ts";
import { respond } from "../../src/http/respond.ts";

/** Cached bodies, all of which are read into one buffer. */
function keptBodies(texts: readonly string[]): Representation[] {
  const buffer = Buffer.alloc(100_000);
  const read = (bytes: Uint8Array) => {
    buffer.fill(0).set(bytes);
    return buffer.subarray(0, bytes.byteLength);
  };
  return texts.map((text) => {
    const made = Representation.of(text);
    const gzipped = made.bytes("gzip");
    return new Representation({
      tag: made.tag("identity"),
      size: text.length,
      bytes: () => read(Buffer.from(text)),
      findForm: (coding) => (coding === "gzip" ? read(gzipped) : undefined),
      keepForm() {},
    });
  });
}

test("responses made one after another keep their own bodies", async () => {
  const texts = ["a", "b", "c"].map((letter) => letter.repeat(5_000));
  const bodies = keptBodies(texts);
  for (const coding of ["identity", "gzip"]) {
    const request = () =>
      new Request("http://localhost/", { headers: { "Accept-Encoding": coding } });
    const responses = bodies.map((body) => respond(request(), okFinished(body)));
    const sent = await Promise.all(responses.map((response) => response.bytes()));
    const decoded = sent.map((bytes) => (coding === "gzip" ? gunzipSync(bytes) : bytes));
    expect(decoded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(texts);
  }
});

test("a large body is in memory once, however many are slow to read it", async () => {
  const text = randomBytes(2_000_000).toString("hex");
  const answer = okFinished(Representation.of(text));
  const asked = new Request("http://localhost/");
  const responses = [respond(asked, answer)];
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 200; count++) responses.push(respond(asked, answer));
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  expect(await responses.at(-1)?.text()).toBe(text);
});

test("304 answers a matching ETag, be it weak, one of several, or `*`", () => {
  const answer = ok({ name: "Caffè Nero" });
  const statusFor = (held: string, method = "GET") => {
    const headers = { "If-None-Match": held };
    return respond(new Request("http://localhost/", { method, headers }), answer).status;
  };
  const tag = Representation.of(answer.body).tag("identity");
  for (const held of [tag, `W/${tag}`, `"other", W/${tag}`, `W/"a,b",${tag}`, "*", " * "]) {
    expect([held, statusFor(held), statusFor(held, "HEAD")]).toEqual([held, 304, 304]);
  }
  for (const held of ['"other"', 'W/"other"', '"*"', tag.slice(1, -1)]) {
    expect([held, statusFor(held), statusFor(held, "HEAD")]).toEqual([held, 200, 200]);
  }
  expect(statusFor(tag, "POST")).toBe(200);
});

test("a 304 has neither type nor coding, and an answer without a body still has its headers", () => {
  const request = new Request("http://localhost/", {
    headers: { "If-None-Match": "*", "Accept-Encoding": "gzip" },
  });
  const held = respond(request, ok("long ".repeat(500)));
  expect(held.status).toBe(304);
  for (const name of ["Content-Type", "Content-Encoding"]) {
    expect([name, held.headers.get(name)]).toEqual([name, null]);
  }
  const empty = { status: 204, headers: { Allow: "GET" }, body: null };
  const own = withHeaders(withHeaders(empty, { "Retry-After": "1" }), { Link: "<a>" });
  const { headers } = respond(request, own);
  const names = ["Allow", "Retry-After", "Link"];
  expect(names.map((name) => headers.get(name))).toEqual(["GET", "1", "<a>"]);
});

test("a 304 needs no body, which may have to be read from a file or compressed", () => {
  const body = new Representation({
    tag: '"kept"',
    size: 5_000,
    bytes: () => expect.unreachable(),
    findForm: () => expect.unreachable(),
    keepForm() {},
  });
  for (const method of ["GET", "HEAD"]) {
    for (const coding of ["identity", "gzip"]) {
      const headers = { "If-None-Match": "*", "Accept-Encoding": coding };
      const request = new Request("http://localhost/", { method, headers });
      expect(respond(request, okFinished(body)).status).toBe(304);
    }
  }
});

test("an answer without an ETag may be compressed as well, and says so", () => {
  const request = new Request("http://localhost/", { headers: { "Accept-Encoding": "gzip" } });
  const { headers } = respond(request, json(404, "long ".repeat(500), {}));
  const names = ["ETag", "Content-Encoding", "Vary"];
  expect(names.map((name) => headers.get(name))).toEqual([null, "gzip", "Accept-Encoding"]);
});

test("the coding is the caller's preferred one, named in any case or left out", () => {
  const answer = ok("long ".repeat(500));
  for (const [accepted, coding] of [
    ["GZIP", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0, *", "zstd"],
    ["gzip;q=0.5, zstd", "zstd"],
    ["gzip;q=0.5", "gzip"],
    ["gzip;q=high, zstd", "zstd"],
    ["*;q=0", null],
    ["br", null],
  ] as const) {
    const request = new Request("http://localhost/", { headers: { "Accept-Encoding": accepted } });
    const given = respond(request, answer).headers.get("Content-Encoding");
    expect([accepted, given]).toEqual([accepted, coding]);
  }
});
