import { readRequests } from "../requests.ts";

/**
 * Baseline: `Bun.serve` that answers each recorded request with the very bytes and headers that the
 * server under test gave. It asks that one for all of them first, which also warms it up.
 * Arguments: address of the server, file of requests, file of callers, port, port of the same with
 * Content-Type as the only header.
 */

const [origin = "", requestsFile = "", callersFile = "", port, plainPort] = process.argv.slice(2);
const AT_ONCE = 64;

interface Recorded {
  body: Uint8Array<ArrayBuffer> | null;
  init: { status: number; headers: Headers };
  plain: { status: number; headers: Headers };
}

const recorded = new Map<string, Recorded>();
const callers = (await Bun.file(callersFile).text()).trimEnd().split("\n");
const requests = (await readRequests(requestsFile)).entries();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const [index, { path, headers }] of requests) {
      const [name = "", value = ""] = (callers[index % callers.length] ?? "").split(": ");
      const response = await fetch(origin + path, {
        headers: { "Accept-Encoding": "identity", ...headers, [name]: value },
      });
      if (response.status !== 200 && response.status !== 304) {
        throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
      }
      const body = await response.bytes();
      recorded.set(path, {
        body: body.byteLength > 0 ? body : null,
        init: { status: response.status, headers: withoutTransport(response.headers) },
        plain: {
          status: response.status,
          headers: new Headers({ "Content-Type": "application/json; charset=utf-8" }),
        },
      });
    }
  }),
);

serve(Number(port), "init");
serve(Number(plainPort), "plain");

function serve(port: number, kind: "init" | "plain"): void {
  // The host of all requests is the same: its length need be found only once.
  const start = "http://bench".length;
  Bun.serve({
    port,
    hostname: "127.0.0.1",
    development: false,
    fetch(request) {
      const answer = recorded.get(request.url.slice(start));
      return answer ? new Response(answer.body, answer[kind]) : new Response(null, { status: 404 });
    },
  });
}

/** Without the headers that Bun.serve adds by itself. */
function withoutTransport(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["date", "content-length", "connection", "transfer-encoding"]) {
    kept.delete(name);
  }
  return kept;
}
