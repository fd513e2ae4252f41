import { type Meilisearch, openMeilisearch } from "../../src/store/meilisearch.ts";
import { stores } from "../support.ts";

/** A client of the tests' Meilisearch, behind a proxy. To be disposed of with `await using`. */
interface MeilisearchProxy extends AsyncDisposable {
  meili: Meilisearch;
}

interface ProxiedRequest {
  method: string;
  pathname: string;
  body: string;
}

/**
 * Opens a proxy before the tests' Meilisearch.
 * @param answer answers each request; `forward` sends it on, as it is or with another body
 */
export function proxyMeilisearch(
  answer: (
    request: ProxiedRequest,
    forward: (body?: string) => Promise<Response>,
  ) => Promise<Response> | Response,
): MeilisearchProxy {
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { method } = request;
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const headers = new Headers(request.headers);
      headers.delete("Content-Length");
      const forward = (sent = body) => {
        const init = method === "GET" ? { method, headers } : { method, headers, body: sent };
        return fetch(stores().meiliUrl + pathname + search, init);
      };
      return answer({ method, pathname, body }, forward);
    },
  });
  return {
    meili: openMeilisearch(server.url.href, stores().meiliKey),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
