import { askAll } from "../ask.ts";

/**
 * Baseline: `Bun.serve` answering each recorded request with the same bytes and headers as the
 * server under test. It first fetches all of them from that server, which also warms that up.
 * Arguments: URL of the server, file of requests, port, and the file of callers, if there is one.
 */

interface Recorded {
  body: Uint8Array<ArrayBuffer> | null;
  init: { status: number; headers: Headers };
}

const [origin = "", requestsFile = "", port, callersFile = null] = process.argv.slice(2);
const recorded = new Map<string, Recorded>();

await askAll(origin, { requestsFile, callersFile }, async ({ path }, response) => {
  const body = await response.bytes();
  recorded.set(path, {
    body: body.byteLength > 0 ? body : null,
    init: { status: response.status, headers: withoutTransport(response.headers) },
  });
});
// All recorded requests have the same host, so its length is computed once.
const originLength = "http://bench".length;
Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  development: false,
  fetch(request) {
    const answer = recorded.get(request.url.slice(originLength));
    return answer ? new Response(answer.body, answer.init) : new Response(null, { status: 404 });
  },
});

/** Without the headers that Bun.serve adds itself. */
function withoutTransport(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["date", "content-length", "connection", "transfer-encoding"]) {
    kept.delete(name);
  }
  return kept;
}
