import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import { introduction } from "../../src/reference/introduction.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";

const server = await startTestServer();
const key = await server.issueKey();
const { slug } = await addBusiness(server.sql);
await server.searchable(slug);
afterAll(() => server.stop());

const REQUESTS = 1_000;

test(`${REQUESTS} malformed requests: no 5xx, no hang, every answer as documented`, async () => {
  const requests = fc.sample(malformedRequest(), { numRuns: REQUESTS, seed: 20_261_121 });
  const statuses = new Map<number, number>();
  for (let from = 0; from < requests.length; from += 50) {
    const batch = requests.slice(from, from + 50).map(async (request, place) => {
      const { status, body } = await send(request, from + place);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const shown = `${request.method} ${request.target.slice(0, 200)} → ${status}`;
      expect(`${shown} ${status >= 200 && status < 500}`).toBe(`${shown} true`);
      // A path that resolves to the front page, such as `/../..`, is answered with a page.
      if (body.startsWith("<!doctype html>")) {
        expect(new URL(request.target, server.url).pathname).toBe("/");
      } else if (body !== "") expect(typeof JSON.parse(body)).toBe("object");
      else expect([shown, request.method === "HEAD" || status === 204]).toEqual([shown, true]);
    });
    await Promise.all(batch);
  }
  expect([...statuses.values()].reduce((sum, number) => sum + number, 0)).toBe(REQUESTS);
  // A mix that met only one kind of answer would show little.
  for (const status of [200, 400, 401, 404, 405])
    expect(statuses.get(status) ?? 0).toBeGreaterThan(10);
});

test("bytes that are not UTF-8 are refused, percent-encoded or raw", async () => {
  const ask = (target: string) =>
    send({ method: "GET", target, authorization: "VALID" }, 0, "latin1").then(({ body }) =>
      JSON.parse(body),
    );
  for (const text of ["caf%E9", "caf\xe9"]) {
    const fault = { error: "invalid_parameter", parameter: "q" };
    expect(await ask(`/api/v1/search?q=${text}`)).toMatchObject(fault);
    expect(await ask(`/api/v1/businesses?city=${text}`)).toMatchObject({
      ...fault,
      parameter: "city",
    });
    expect(await ask(`/api/v1/businesses/${text}`)).toMatchObject({ ...fault, parameter: "slug" });
  }
  // The UTF-8 of `é`, raw.
  expect(await ask("/api/v1/search?q=caf\xc3\xa9")).toMatchObject({ meta: { query: "café" } });
});

test("an unencoded space in a URL gets 505 without a body, as the reference says", async () => {
  // Bun refuses it before any path is looked at; the check of answers covers only those of the API.
  const target = "/llms.txt?city=st albans";
  expect(await send({ method: "GET", target, authorization: null }, 0)).toEqual({
    status: 505,
    body: "",
  });
  for (const openAccess of [true, false]) expect(introduction(openAccess)).toMatch(/space.* 505 /);
});

interface RawRequest {
  method: string;
  target: string;
  authorization: string | null;
}

function malformedRequest(): fc.Arbitrary<RawRequest> {
  const junk = fc.oneof(
    fc.constantFrom(
      "%",
      "%zz",
      "%E0%A4",
      "%00",
      "a%00b",
      "%ff%fe",
      "%C3%28",
      "%u0041",
      "%25%25",
      "+",
      "%2B",
    ),
    fc.constantFrom(
      "x".repeat(8_000),
      "%41".repeat(2_500),
      "9".repeat(500),
      "%F0%9F%8D%9F".repeat(60),
    ),
    fc.constantFrom(
      "[]",
      "{}",
      "[1,2]",
      "null",
      "NaN",
      "Infinity",
      "-0",
      "1e309",
      "0x1F",
      "--1",
      "1;drop",
      "'%20or%201=1",
      "../..",
      "{{7*7}}",
      "<script>",
    ),
    fc.constantFrom(
      "999999999",
      "9999999999",
      "18446744073709551616",
      "-9223372036854775809",
      "0.1",
      "٣",
      "１",
    ),
    fc
      .string({ unit: "binary", maxLength: 40 })
      .map((text) => encodeURIComponent(text.toWellFormed())),
    fc
      .string({
        unit: fc.constantFrom("\u202e", "\ufeff", "\u0301", "é", "\u{1f9ff}", "ß", "İ"),
        maxLength: 20,
      })
      .map(encodeURIComponent),
  );
  const name = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("page", "limit", "per_page", "city", "category", "q") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "page[]",
        "city[0]",
        "__proto__",
        "constructor",
        "toString",
        "%70age",
        "%zz",
        "",
      ),
    },
  );
  const pair = fc.tuple(name, junk).map(([left, right]) => `${left}=${right}`);
  const query = fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join("&").slice(0, 12_000));
  const path = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("/api/v1/businesses", "/api/v1/categories", "/api/v1/search"),
    },
    {
      weight: 2,
      arbitrary: junk.map((slug) => `/api/v1/businesses/${slug.replaceAll(/[?#]/g, "")}`),
    },
    { weight: 1, arbitrary: junk.map((rest) => `/${rest.replaceAll(/[?#]/g, "")}`) },
  );
  return fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant("GET") },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "HEAD",
          "OPTIONS",
          "POST",
          "PUT",
          "PATCH",
          "DELETE",
          "TRACE",
          "PROPFIND",
        ),
      },
    ),
    target: fc.tuple(path, query).map(([left, right]) => `${left}?${right}`),
    authorization: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.constant("VALID") },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "",
          "Bearer",
          "Bearer  ",
          "bearer\tx",
          "Basic Zm9vOmJhcg==",
          "Bearer é",
          "Bearer \u0080",
          `Bearer ${"a".repeat(7_000)}`,
          "Bearer null",
          "Bearer [object Object]",
          "Bearer hs_live_",
          ",,,",
          "Bearer a,b",
        ),
      },
    ),
  });
}

/** Sends over a plain socket, since fetch would repair the request. Resolves within three seconds. */
function send(
  request: RawRequest,
  number: number,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(server.url);
  const authorization = request.authorization === "VALID" ? `Bearer ${key}` : request.authorization;
  const head = [
    `${request.method} ${request.target} HTTP/1.1`,
    "Host: directory.example",
    "Connection: close",
    `X-Forwarded-For: 10.${(number >> 8) & 255}.${number & 255}.1`,
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Uint8Array[] = [];
    const shown = `${request.method} ${request.target.slice(0, 200)}`;
    socket.setTimeout(3_000, () => socket.destroy(new Error(`no answer to ${shown}`)));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => {
      const [header = "", ...rest] = Buffer.concat(chunks).toString().split("\r\n\r\n");
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(header)?.[1]);
      if (!status) return reject(new Error(`no answer to ${shown}: ${header.slice(0, 100)}`));
      const [, ...lines] = header.split("\r\n");
      const body = rest.join("\r\n\r\n");
      try {
        const fields = lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]);
        const { method, target } = request;
        server.check({ method, path: target, status, headers: new Headers(fields), body });
        resolve({ status, body });
      } catch (error) {
        reject(error);
      }
    });
    socket.write(`${head.join("\r\n")}\r\n\r\n`, encoding);
  });
}
