import { describe, expect, test } from "bun:test";
import { addBusiness } from "../fixtures.ts";
import { startSite } from "./site.ts";

// What is the same on every page, and the files that pages need.

const { server, open, indexed } = await startSite();
await addBusiness(server.sql, { slug: "claimed-shop", isClaimed: true, phone: "0113 496 0111" });
await indexed();

describe("every page", () => {
  const paths = [
    "/",
    "/search?q=pub",
    "/businesses/claimed-shop",
    "/cities/leeds",
    "/developers",
    "/nothing",
  ];
  test("has a strict content security policy, and is served compressed with an ETag", async () => {
    for (const path of paths) {
      const { headers, status, html } = await open(path);
      expect(headers.get("Content-Security-Policy")?.split("; ").toSorted()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ]);
      expect(headers.get("Permissions-Policy")).toContain("geolocation=()");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
      expect(headers.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
      expect(headers.get("Cache-Control")).toBe(status === 200 ? "no-cache" : "no-store");
      expect(html).not.toMatch(/ style="| on\w+="/);
      if (status !== 200) continue;
      const etag = headers.get("ETag") ?? "";
      const again = await open(path, { headers: { "If-None-Match": etag } });
      expect([path, again.status]).toEqual([path, 304]);
    }
  });

  test("weighs less than 50 KB with its styles and scripts, compressed", async () => {
    const weigh = async (path: string) => {
      const response = await fetch(server.url + path, {
        headers: { "Accept-Encoding": "gzip", "X-Forwarded-For": "10.8.0.2" },
        decompress: false,
      });
      return (await response.bytes()).byteLength;
    };
    const { html } = await open("/developers");
    const files = new Set(html.match(/\/assets\/[^"]+/g));
    expect(files.size).toBe(3);
    const shared = (await Promise.all([...files].map(weigh))).reduce(
      (sum, bytes) => sum + bytes,
      0,
    );
    for (const path of paths) expect(shared + (await weigh(path))).toBeLessThan(50_000);
  });

  test("counts against its own limit, 120 a minute for a visitor, and not the API's", async () => {
    const visitor = { headers: { "X-Forwarded-For": "10.7.0.1" } };
    for (let views = 0; views < 120; views++) {
      expect((await open("/", visitor)).status).toBe(200);
    }
    const refused = await open("/", visitor);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeWithin(1, 61);
    expect(refused.headers.get("Cache-Control")).toBe("no-store");
    expect(refused.html).toContain("Too many pages");
    expect(refused.html).toContain(TRY_AGAIN);
    expect((await open("/nothing")).html).not.toContain(TRY_AGAIN);
    const api = await fetch(`${server.url}/api/v1/businesses`, visitor);
    expect(api.status).toBe(200);
  });

  test("is called the same in the header, the breadcrumbs and the footer", async () => {
    const { html } = await open("/cities/london");
    const links = [
      ...html.matchAll(
        /<li><a href="([^"]*)">(.*?)<\/a>|class="top-link" href="([^"]*)">(.*?)<\/a>/g,
      ),
    ];
    const names = Map.groupBy(links, (link) => link[1] ?? link[3]);
    for (const path of ["/", "/cities", "/developers"]) {
      const called = names.get(path)?.map((link) => link[2] ?? link[4]) ?? [];
      expect(called.length).toBe(2);
      expect(new Set(called).size).toBe(1);
    }
  });

  test("of a search also counts against 30 a minute, after which other pages still open", async () => {
    const visitor = { headers: { "X-Forwarded-For": "10.7.0.2" } };
    for (let searches = 0; searches < 30; searches++) {
      expect((await open("/search", visitor)).status).toBe(200);
    }
    const refused = await open("/search?q=zorb", visitor);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeWithin(1, 61);
    expect(refused.html).toContain('value="zorb"');
    expect(refused.html).toContain("Too many searches");
    for (let refusals = 0; refusals < 120; refusals++) await open("/search?q=zorb", visitor);
    expect((await open("/", visitor)).status).toBe(200);
  });

  test("that does not exist is an HTML page for browsers, and JSON for programs and below /api", async () => {
    const page = await open("/nothing");
    expect(page.html).toStartWith("<!doctype html>");
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect((await open("/nothing", { headers: { Accept: "*/*" } })).html).toBe(
      '{"error":"not_found"}',
    );
    expect((await open("/api/v1/nothing")).html).toBe('{"error":"not_found"}');
    const wrong = await open("/", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(wrong.headers.get("Cache-Control")).toBe("no-store");
    expect(wrong.html).toContain("this page cannot take what was sent to it");
    expect(wrong.html).toContain(TRY_AGAIN);
  });

  test("answers HEAD like GET without the body, and so does everything else", async () => {
    const headOf = ({ status, headers }: { status: number; headers: Headers }) => {
      const { date, ...same } = Object.fromEntries(headers);
      return { status, isDated: date !== undefined, ...same };
    };
    const { html } = await open("/developers");
    const assets = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => `${path}`);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of [
      ...["/", "/search?q=pub", "/businesses/claimed-shop", "/categories/plumbers", "/cities"],
      ...["/cities/leeds", "/cities/?page=1", "/developers", "/developers/reference", "/nothing"],
      ...["/robots.txt", "/sitemap.xml", "/sitemaps/places.xml", "/sitemaps/businesses-1.xml"],
      ...["/favicon.ico", "/llms.txt", "/healthz", "/api/v1/openapi.json", "/api/v1/businesses"],
      ...["/api/v1/businesses/claimed-shop", "/api/v1/businesses/nobody", "/api/v1/categories"],
      ...assets,
    ]) {
      const headers = { "Accept-Encoding": "identity" };
      const got = await open(path, { headers });
      const head = await open(path, { headers, method: "HEAD" });
      expect([path, headOf(head)]).toEqual([path, headOf(got)]);
      const bytes = Buffer.byteLength(got.html);
      expect([path, head.html, Number(head.headers.get("Content-Length"))]).toEqual([
        path,
        "",
        bytes,
      ]);
    }
  });

  test("redirects from its address with a trailing slash", async () => {
    const towns = await open("/cities//?page=1");
    expect([towns.status, towns.headers.get("Location")]).toEqual([308, "/cities?page=1"]);
    // Otherwise browsers would keep it for good.
    expect(towns.headers.get("Cache-Control")).toBe("no-cache");
    const shop = await open("/businesses/claimed-shop/");
    expect(shop.headers.get("Location")).toBe("/businesses/claimed-shop");
    for (const path of ["/cities/", "/api/v1/businesses/"]) {
      const program = await open(path, { headers: { Accept: "*/*" } });
      expect([path, program.status, program.html]).toEqual([path, 404, '{"error":"not_found"}']);
    }
  });
});

test("a request with a malformed address gets the 404 page", async () => {
  const ask = async (head: string) => {
    const { hostname, port } = new URL(server.url);
    let answer = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(`${head}\r\nAccept: text/html\r\n\r\n`),
        data(socket, bytes) {
          answer += bytes.toString();
          socket.end();
        },
        close: () => resolve(),
      },
    });
    await promise;
    return answer;
  };
  for (const head of [
    "GET // HTTP/1.0",
    "GET /nothing HTTP/1.0",
    "GET /nothing HTTP/1.1\r\nHost: a b",
    "GET /nothing HTTP/1.1\r\nHost: [",
    // No redirect to another host.
    "GET //elsewhere.example/ HTTP/1.0",
    "GET //elsewhere.example/ HTTP/1.1\r\nHost: a",
    "GET /\\elsewhere.example/ HTTP/1.1\r\nHost: a",
  ]) {
    const answer = await ask(head);
    expect([head, answer.split("\r\n")[0]]).toEqual([head, "HTTP/1.1 404 Not Found"]);
  }
});

test("the title of the front page says what the site is", async () => {
  const { html } = await open("/");
  expect(html).toContain("<title>UK business directory · Highstreet</title>");
});

test("an asset is cached forever only at its versioned address", async () => {
  const { html } = await open("/");
  const address = /href="(\/assets\/site\.css\?v=[^"]+)"/.exec(html)?.[1] ?? "";
  const kept = async (path: string) =>
    (await fetch(server.url + path)).headers.get("Cache-Control");
  expect(await kept(address)).toBe("public, max-age=31536000, immutable");
  expect(await kept("/assets/site.css?v=another")).toBe("no-cache");
  expect(await kept("/assets/site.css")).toBe("no-cache");
});

test("each file says what it is and how long it may be cached, and tells browsers not to guess", async () => {
  for (const [path, type, caching] of [
    ["/assets/site.css", "text/css", "no-cache"],
    ["/assets/developers.js", "text/javascript", "no-cache"],
    ["/assets/icon.svg", "image/svg+xml", "no-cache"],
    ["/favicon.ico", "image/svg+xml", "public, max-age=86400"],
    ["/robots.txt", "text/plain", "public, max-age=3600"],
    ["/sitemap.xml", "application/xml", "public, max-age=3600"],
    ["/llms.txt", "text/plain", "no-cache"],
  ] as const) {
    const { headers } = await open(path);
    const names = ["Content-Type", "Cache-Control", "X-Content-Type-Options"];
    const said = names.map((name) => headers.get(name));
    expect([path, ...said]).toEqual([path, `${type}; charset=utf-8`, caching, "nosniff"]);
  }
});

/** Links to the page itself. */
const TRY_AGAIN = '<a class="button" href>Try this page again</a>';
