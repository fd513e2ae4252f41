import { afterAll, describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { gunzipSync, zstdDecompressSync } from "bun";
import * as v from "valibot";
import { until } from "../../scripts/stack/waiting.ts";
import * as schemas from "../../src/directory/schemas.ts";
import { addBusiness } from "../fixtures.ts";
import { keptFiles, startTestServer } from "../support.ts";

// What each path answers, and with which parameters, headers and errors.

const server = await startTestServer();
const key = await server.issueKey();
const { sql } = server;
for (let number = 0; number < 45; number++) {
  await addBusiness(sql, {
    slug: `leeds-plumber-${number}`,
    category: "plumbers",
    city: "Leeds",
  });
}
for (let number = 0; number < 5; number++) {
  await addBusiness(sql, {
    slug: `york-electrician-${number}`,
    category: "electricians",
    city: "York",
  });
}
await server.searchable("york-electrician-4");
await addBusiness(sql, { slug: "waiting", status: "pending" });
await addBusiness(sql, { slug: "refused", status: "rejected" });
await addBusiness(sql, { slug: "stopped", status: "suspended" });
afterAll(() => server.stop());

let caller = 0;
/** An open request from an address of its own, so that no test uses up another's minute. */
const open = (path: string, init: RequestInit = {}) => {
  const address = `198.51.${(++caller >> 8) & 255}.${caller & 255}`;
  return fetch(server.url + path, {
    ...init,
    headers: { ...init.headers, "X-Forwarded-For": address },
  });
};
const keyed = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, {
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${key}` },
  });
// biome-ignore lint/suspicious/noExplicitAny: the shapes are checked by other tests
const json = async (response: Response | Promise<Response>): Promise<any> =>
  (await response).json();

describe("open list", () => {
  test("all parameters are optional; page is 1 and limit 20 by default", async () => {
    const body = await json(open("/api/v1/businesses"));
    expect(body).toMatchObject({ total: 50, page: 1, pages: 3 });
    expect(body.businesses.length).toBe(20);
  });
  test("city filters by the city's slug", async () => {
    expect(await json(open("/api/v1/businesses?city=york"))).toMatchObject({ total: 5, pages: 1 });
  });
  test("category filters by the category's slug", async () => {
    expect((await json(open("/api/v1/businesses?category=electricians"))).total).toBe(5);
  });
  test("city and category filter together", async () => {
    expect((await json(open("/api/v1/businesses?category=plumbers&city=leeds"))).total).toBe(45);
    expect((await json(open("/api/v1/businesses?category=plumbers&city=york"))).total).toBe(0);
  });
  test("a category includes its descendants", async () => {
    const { sql } = server;
    const [parent] = await sql`
      select above.slug from categories c join categories above on above.id = c.parent_id where c.slug = 'plumbers'`;
    expect(
      (await json(open(`/api/v1/businesses?category=${parent?.slug}`))).total,
    ).toBeGreaterThanOrEqual(45);
  });
  test("limit above 20 is lowered to 20", async () => {
    expect((await json(open("/api/v1/businesses?limit=1000"))).businesses.length).toBe(20);
  });
  test("a limit may begin with zeros", async () => {
    expect((await json(open("/api/v1/businesses?limit=007"))).businesses.length).toBe(7);
  });
  test("the pages follow on without gap or repeat", async () => {
    const slugs = new Set<string>();
    for (let page = 1; page <= 3; page++) {
      for (const item of (await json(open(`/api/v1/businesses?page=${page}`))).businesses)
        slugs.add(item.slug);
    }
    expect(slugs.size).toBe(50);
  });
});

describe("open detail", () => {
  test("an approved business is 200", async () => {
    expect((await open("/api/v1/businesses/leeds-plumber-1")).status).toBe(200);
  });
  for (const slug of ["waiting", "refused", "stopped", "nobody-knows"]) {
    test(`a business that is ${slug} is 404 not_found`, async () => {
      for (const ask of [open, keyed]) {
        const response = await ask(`/api/v1/businesses/${slug}`);
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({ error: "not_found" });
      }
    });
  }
  test("businesses that are not approved are in no list and no total", async () => {
    const body = await json(keyed("/api/v1/businesses?per_page=100"));
    const slugs = body.data.map((item: { slug: string }) => item.slug);
    expect(body.meta.total).toBe(50);
    for (const slug of ["waiting", "refused", "stopped"]) expect(slugs).not.toContain(slug);
  });
});

describe("keyed list", () => {
  test("per_page is 20 by default and at most 100", async () => {
    expect((await json(keyed("/api/v1/businesses"))).meta.per_page).toBe(20);
    expect((await json(keyed("/api/v1/businesses?per_page=500"))).meta.per_page).toBe(100);
  });
  test("has_more says whether further pages exist, also when the last page is full", async () => {
    expect((await json(keyed("/api/v1/businesses?per_page=25&page=1"))).meta.has_more).toBe(true);
    expect((await json(keyed("/api/v1/businesses?per_page=25&page=2"))).meta.has_more).toBe(false);
  });
  test("city and category filter", async () => {
    expect((await json(keyed("/api/v1/businesses?city=leeds&category=plumbers"))).meta.total).toBe(
      45,
    );
  });
  test("the open parameter `limit` means nothing here, `per_page` nothing in open access", async () => {
    expect((await json(keyed("/api/v1/businesses?limit=3"))).data.length).toBe(20);
    expect((await json(open("/api/v1/businesses?per_page=3"))).businesses.length).toBe(20);
  });
});

test("the keyed detail has photos, opening hours and category", async () => {
  const { data } = await json(keyed("/api/v1/businesses/york-electrician-0"));
  expect(data).toMatchObject({ slug: "york-electrician-0", photos: [], openingHours: [] });
  expect(data.category).toMatchObject({ slug: "electricians" });
});

describe("cities", () => {
  interface Page {
    data: { slug: string; name: string; businessCount: number }[];
    meta: { page: number; per_page: number; total: number; has_more: boolean };
  }
  const ask = async (query = ""): Promise<Page> => {
    const body = await json(keyed(`/api/v1/cities${query}`));
    v.parse(schemas.CityList, body);
    return body;
  };

  test("every city that has businesses, by slug, with the totals of the lists filtered by them", async () => {
    const { data, meta } = await ask();
    expect(meta).toEqual({ page: 1, per_page: 20, total: data.length, has_more: false });
    expect(data.length).toBeGreaterThan(1);
    expect(data.map(({ slug }) => slug)).toEqual(data.map(({ slug }) => slug).toSorted());
    for (const { slug, businessCount } of data) {
      const list = await json(keyed(`/api/v1/businesses?city=${slug}`));
      expect([slug, list.meta.total]).toEqual([slug, businessCount]);
    }
    const pages = [await ask("?per_page=1"), await ask("?page=2&per_page=1")];
    expect(pages.flatMap((page) => page.data)).toEqual(data.slice(0, 2));
    expect(pages.map((page) => page.meta.has_more)).toEqual([true, data.length > 2]);
    const past = await ask("?page=9&per_page=1000");
    expect(past).toEqual({
      data: [],
      meta: { page: 9, per_page: 100, total: data.length, has_more: false },
    });
    expect((await keyed("/api/v1/cities?page=0")).status).toBe(400);
  });

  test("a city appears with its first business, and disappears with its last", async () => {
    // Not a plumber, which search might still find for a moment in the tests that follow.
    const newcomer = { slug: "loaf", category: "bakeries", city: "Zeal Monachorum" };
    const { id } = await addBusiness(server.sql, newcomer);
    const slugs = async () => (await ask()).data.map(({ slug }) => slug);
    await until(async () => (await slugs()).includes("zeal-monachorum"), 1_000);
    await server.sql`update businesses set status = 'suspended' where id = ${id}`;
    await until(async () => !(await slugs()).includes("zeal-monachorum"), 1_000);
  });
});

describe("categories", () => {
  test("all active categories, with the totals of the lists filtered by them", async () => {
    const { data } = await json(keyed("/api/v1/categories"));
    const [{ count }] = await server.sql<[{ count: number }]>`
      select count(*)::int as count from categories as c
      where not exists (
        select from category_ancestors as a join categories as above on above.id = a.ancestor_id
        where a.category_id = c.id and not above.is_active)`;
    expect(data.length).toBe(count);
    const used = data.filter((one: { businessCount: number }) => one.businessCount > 0);
    expect(used.length).toBeGreaterThan(1);
    for (const category of used) {
      const { meta } = await json(keyed(`/api/v1/businesses?category=${category.slug}`));
      expect(meta.total).toBe(category.businessCount);
    }
  });
  test("an inactive category is absent, and so is everything below it", async () => {
    const { sql } = server;
    await sql`insert into categories (slug, name) values ('old-trades', 'Old trades')`;
    await sql`insert into categories (slug, name, parent_id) select 'coopers', 'Coopers', id from categories where slug = 'old-trades'`;
    const slugs = async () =>
      (await json(keyed("/api/v1/categories"))).data.map((one: { slug: string }) => one.slug);
    await until(async () => (await slugs()).includes("coopers"), 1_000);
    await sql`update categories set is_active = false where slug = 'old-trades'`;
    await until(async () => !(await slugs()).includes("old-trades"), 1_000);
    expect(await slugs()).not.toContain("coopers");
  });
});

describe("search", () => {
  test("words are separated by plus signs or encoded spaces", async () => {
    const plus = await json(keyed("/api/v1/search?q=electrician+in+york"));
    const space = await json(keyed("/api/v1/search?q=electrician%20in%20york"));
    expect(plus.meta).toMatchObject({ query: "electrician in york", limit: 20 });
    expect(plus).toEqual(space);
    expect(plus.data[0].categorySlug).toBe("electricians");
  });
  test("limit is the maximum number of results, at most 100", async () => {
    expect((await json(keyed("/api/v1/search?q=plumber&limit=2"))).data.length).toBe(2);
    expect((await json(keyed("/api/v1/search?q=plumber&limit=5000"))).meta.limit).toBe(100);
  });
  test("city and category narrow it down, and are never relaxed", async () => {
    const totalOf = async (query: string) =>
      (await json(keyed(`/api/v1/search?${query}`))).meta.total;
    expect(await totalOf("q=plumber+in+york")).toBe(45);
    expect(await totalOf("q=plumber&city=york")).toBe(0);
    expect(await totalOf("q=plumber&city=leeds")).toBe(45);
    expect(await totalOf("q=york&category=electricians")).toBe(5);
    expect(await totalOf("q=york&category=plumbers")).toBe(0);
    expect(await totalOf("q=plumber&city=no-such-city")).toBe(0);
    const response = await keyed("/api/v1/search?q=plumber&city=");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_parameter", parameter: "city" });
  });
  test("q is 1 to 200 characters after trimming", async () => {
    for (const q of ["", "?q=", "?q=+++", `?q=${"x".repeat(201)}`]) {
      const response = await keyed(`/api/v1/search${q}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: "invalid_parameter", parameter: "q" });
    }
    for (const character of ["é", "🔧"]) {
      const q = `+${character.repeat(200)}+`;
      expect((await keyed(`/api/v1/search?q=${q}`)).status).toBe(200);
    }
  });
  test("control characters in q count as spaces", async () => {
    const { meta, data } = await json(keyed("/api/v1/search?q=%00electrician%0D%0Ain%1Fyork%7F"));
    expect(meta.query).toBe("electrician in york");
    expect(data[0].categorySlug).toBe("electricians");
    const response = await keyed("/api/v1/search?q=%00%7F");
    const message = "q is missing or blank; say what to search for, such as q=plumber+in+leeds.";
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ parameter: "q", message });
  });
});

describe("invalid values", () => {
  const wrong = {
    page: [
      "abc",
      "0",
      "-1",
      "1.5",
      "",
      "1234567890",
      "0000000001",
      "1e3",
      "%20",
      "%00",
      "0x10",
      "%zz",
    ],
    limit: ["abc", "0", "-1", "", "1.5", "1e1"],
    city: ["", "x".repeat(121), "%ff"],
    category: ["", "x".repeat(8000), "%C3%28"],
  };
  for (const [parameter, values] of Object.entries(wrong)) {
    test(`a wrong ${parameter} is 400 invalid_parameter and names it`, async () => {
      for (const value of values) {
        const response = await open(`/api/v1/businesses?${parameter}=${value}`);
        expect([value.slice(0, 20), response.status]).toEqual([value.slice(0, 20), 400]);
        expect(await response.json()).toEqual({
          error: "invalid_parameter",
          parameter,
          message: expect.stringContaining(parameter),
        });
      }
    });
  }
  test("the message says what is wrong with which parameter, and what is right", async () => {
    const list = "/api/v1/businesses";
    const encoding = "must be percent-encoded UTF-8 without U+FFFD, the replacement character.";
    for (const [path, message] of [
      [`${list}?page=0`, "page must be a whole number from 1 to 999999999."],
      [`${list}?per_page=0`, "per_page must be a whole number from 1 to 100."],
      [`${list}?page=1&page=1`, "page is given twice; give it once."],
      [`${list}?city=`, "city is empty; leave it out to get all."],
      [`${list}?city=${"x".repeat(121)}`, "city is too long; it may have at most 120 characters."],
      [`${list}?city=%ff`, `city ${encoding}`],
      [`${list}/${"x".repeat(121)}`, "slug is too long; it may have at most 120 characters."],
      [`${list}/%ff`, `slug ${encoding}`],
      [`/api/v1/search?q=${"x".repeat(201)}`, "q is too long; it may have at most 200 characters."],
    ] as const) {
      expect((await json(keyed(path))).message).toBe(message);
    }
  });
  test("a value given twice is invalid", async () => {
    for (const [parameter, query] of [
      ["page", "page=1&page=1"],
      ["city", "city=&city=leeds"],
    ]) {
      const { error, message } = await json(open(`/api/v1/businesses?${query}`));
      expect(error).toBe("invalid_parameter");
      expect(message).toBe(`${parameter} is given twice; give it once.`);
    }
  });
  test("a name without a value has an empty one", async () => {
    const response = await open("/api/v1/businesses?city");
    expect(await response.json()).toMatchObject({ error: "invalid_parameter", parameter: "city" });
  });
  test("an over-long slug in the path is invalid", async () => {
    const response = await open(`/api/v1/businesses/${"x".repeat(121)}`);
    expect(await response.json()).toMatchObject({ error: "invalid_parameter", parameter: "slug" });
  });
  test("a slug may have 120 characters", async () => {
    const slug = "x".repeat(120);
    expect((await open(`/api/v1/businesses/${slug}`)).status).toBe(404);
    expect((await open(`/api/v1/businesses?city=${slug}&category=${slug}`)).status).toBe(200);
  });
  test("a limit of many digits is lowered, a page of nine digits is an empty page", async () => {
    for (const digits of [20, 5_000]) {
      const limit = "9".repeat(digits);
      expect((await json(open(`/api/v1/businesses?limit=${limit}`))).businesses.length).toBe(20);
    }
    expect(await json(open("/api/v1/businesses?page=999999999"))).toEqual({
      businesses: [],
      total: 50,
      page: 999_999_999,
      pages: 3,
    });
  });
  test("an unknown city or category is an empty page", async () => {
    for (const query of [
      "city=atlantis",
      "category=alchemists",
      "city=Not%20A%20Slug",
      "city=%00",
      "city=york=",
    ]) {
      const response = await open(`/api/v1/businesses?${query}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ businesses: [], total: 0, page: 1, pages: 0 });
    }
  });
  test("an encoded `&` in a value does not start another parameter", async () => {
    const page = "/api/v1/businesses?city=york";
    expect((await json(open(`${page}&limit=1`))).total).toBe(5);
    expect((await json(open(`${page}%26limit=1`))).total).toBe(0);
  });
  test("a name may be percent-encoded, like a value", async () => {
    expect((await json(open("/api/v1/businesses?c%69ty=york"))).total).toBe(5);
    const { error, parameter } = await json(open("/api/v1/businesses?city=york&c%69ty=leeds"));
    expect([error, parameter]).toEqual(["invalid_parameter", "city"]);
  });
  test("a page past the end is empty with true totals", async () => {
    expect(await json(keyed("/api/v1/businesses?page=4"))).toEqual({
      data: [],
      meta: { page: 4, per_page: 20, total: 50, has_more: false },
    });
  });
  test("unknown parameters are ignored", async () => {
    for (const query of ["utm_source=x&city[]=york&%zz=1", "toString=1&toString=2"]) {
      expect((await json(open(`/api/v1/businesses?${query}`))).total).toBe(50);
    }
  });
});

describe("CORS", () => {
  const listed = (header: string | null) => header?.toLowerCase().split(", ") ?? [];
  test("open answers, errors included, allow any origin and expose the headers that pages need", async () => {
    for (const path of [
      "/api/v1/businesses",
      "/api/v1/businesses/nobody",
      "/api/v1/businesses?page=0",
      "/api/v1/nowhere",
    ]) {
      const { headers } = await open(path);
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      const exposed = listed(headers.get("Access-Control-Expose-Headers"));
      expect(exposed.sort()).toEqual(["etag", "retry-after", "x-ratelimit-limit", "x-request-id"]);
    }
  });
  test("a preflight allows GET, HEAD and OPTIONS for a day, and never authorization", async () => {
    const { status, headers } = await open("/api/v1/businesses", {
      method: "OPTIONS",
      headers: {
        Origin: "https://a.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD, OPTIONS");
    const allowed = listed(headers.get("Access-Control-Allow-Headers"));
    expect(allowed.sort()).toEqual(["accept", "content-type", "if-none-match"]);
    expect(headers.get("Access-Control-Max-Age")).toBe("86400");
  });
  test("a page may also request a path that does not exist, and can read the 404", async () => {
    const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "GET" };
    const preflight = await open("/api/v1/nowhere", { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    const allowed = listed(preflight.headers.get("Access-Control-Allow-Headers"));
    expect(allowed).toContain("content-type");
    // No other origin is told that anything is there.
    expect((await open("/api/v1/nowhere", { method: "OPTIONS" })).status).toBe(404);
  });
  test("keyed answers and keyed-only paths have no CORS headers", async () => {
    for (const response of [
      await keyed("/api/v1/businesses"),
      await keyed("/api/v1/categories"),
      await keyed("/api/v1/nowhere"),
      await open("/api/v1/categories"),
      await open("/api/v1/search", { method: "OPTIONS" }),
    ]) {
      expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });
});

test("lists, details, categories and cities that were asked for before are answered while the directory cannot be read", async () => {
  const ask = async () => {
    const responses = await Promise.all([
      open("/api/v1/businesses?city=leeds"),
      open("/api/v1/businesses/leeds-plumber-1"),
      keyed("/api/v1/businesses?city=leeds"),
      keyed("/api/v1/businesses/leeds-plumber-1"),
      keyed("/api/v1/categories"),
      keyed("/api/v1/cities"),
    ]);
    return responses.every(({ status }) => status === 200);
  };
  const areCached = () =>
    sql.begin(async (transaction) => {
      await ask();
      await transaction`lock table businesses, categories, listing_counts`;
      return await ask();
    });
  // On a busy machine the cache may be behind for a moment.
  await until(areCached, 20_000);
});

test("a cached page whose bytes are lost is served all the same", async () => {
  const others = new Set(keptFiles().map(({ path }) => path));
  await using frail = await startTestServer();
  const ownFiles = () => keptFiles().filter(({ path }) => !others.has(path));
  await addBusiness(frail.sql, { slug: "here" });
  const ask = async () => {
    const response = await fetch(`${frail.url}/api/v1/businesses/here`);
    return { status: response.status, text: await response.text() };
  };
  const first = await ask();
  await until(async () => {
    await ask();
    return ownFiles().some(({ size }) => size > 0);
  }, 1_000);
  for (const { path } of ownFiles()) truncateSync(path);
  expect(await ask()).toEqual(first);
  expect(first.status).toBe(200);
  // It was found in the cache, and then could not be read.
  expect(ownFiles()).toEqual([]);
});

describe("HEAD, ETag, coding", () => {
  for (const path of [
    "/api/v1/businesses",
    "/api/v1/businesses/leeds-plumber-1",
    "/api/v1/categories",
    "/api/v1/cities",
    "/api/v1/search?q=plumber",
  ]) {
    test(`HEAD ${path} has the headers of GET and no body`, async () => {
      const got = await keyed(path, { headers: { "Accept-Encoding": "identity" } });
      const head = await keyed(path, {
        method: "HEAD",
        headers: { "Accept-Encoding": "identity" },
      });
      expect(head.status).toBe(200);
      expect(head.headers.get("Content-Length")).toBe(String((await got.arrayBuffer()).byteLength));
      expect(head.headers.get("ETag")).toBe(got.headers.get("ETag"));
      expect(Date.parse(head.headers.get("Date") ?? "")).toBeGreaterThan(Date.now() - 60_000);
      expect(await head.text()).toBe("");
    });
    test(`${path} has a strong ETag and answers 304 when it matches`, async () => {
      const first = await keyed(path);
      const tag = first.headers.get("ETag") ?? "";
      expect(tag).toMatch(/^"[^"]+"$/);
      const again = await keyed(path, { headers: { "If-None-Match": `"other", ${tag}` } });
      expect(again.status).toBe(304);
      expect(again.headers.get("ETag")).toBe(tag);
      expect(await again.text()).toBe("");
      for (const held of ['"other"', '"a,*,b"', `"a", ${tag.slice(0, -1)}`]) {
        expect((await keyed(path, { headers: { "If-None-Match": held } })).status).toBe(200);
      }
      expect((await keyed(path, { headers: { "If-None-Match": " * " } })).status).toBe(304);
    });
  }
  test("an open ETag changes when the page does", async () => {
    const path = "/api/v1/businesses/leeds-plumber-2";
    const before = (await open(path)).headers.get("ETag");
    await server.sql`update businesses set name = 'Another Name' where slug = 'leeds-plumber-2'`;
    await until(async () => (await open(path)).headers.get("ETag") !== before, 1_000);
  });
  test("gzip and zstd are used when accepted, each with an ETag of its own", async () => {
    const plain = await keyed("/api/v1/businesses", { headers: { "Accept-Encoding": "identity" } });
    const text = await plain.text();
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    const tags = new Set([plain.headers.get("ETag")]);
    for (const [coding, unpack] of [
      ["gzip", gunzipSync],
      ["zstd", zstdDecompressSync],
    ] as const) {
      const response = await keyed("/api/v1/businesses", {
        decompress: false,
        headers: { "Accept-Encoding": coding },
      } as RequestInit);
      expect(response.headers.get("Content-Encoding")).toBe(coding);
      expect(response.headers.get("Vary")).toContain("Accept-Encoding");
      expect(new TextDecoder().decode(unpack(new Uint8Array(await response.arrayBuffer())))).toBe(
        text,
      );
      tags.add(response.headers.get("ETag"));
    }
    expect(tags.size).toBe(3);
  });
  test.each([
    ["under 128 bytes are not", "page=9", null, 0, 128],
    ["with a single business are", "limit=1", "gzip", 128, 512],
  ])("bodies %s compressed, cached or not", async (_, query, coding, least, most) => {
    const tags = new Set<string | null>();
    for (let again = 0; again < 3; again++) {
      const path = `/api/v1/businesses?city=york&${query}`;
      const response = await open(path, { headers: { "Accept-Encoding": "gzip" } });
      expect(response.headers.get("Content-Encoding")).toBe(coding);
      expect((await response.text()).length).toBeWithin(least, most);
      tags.add(response.headers.get("ETag"));
    }
    expect(tags.size).toBe(1);
  });
  test("a 304 is only for the coding that the caller has", async () => {
    const gzip = await keyed("/api/v1/businesses", { headers: { "Accept-Encoding": "gzip" } });
    const tag = gzip.headers.get("ETag") ?? "";
    const ask = (coding: string) =>
      keyed("/api/v1/businesses", { headers: { "Accept-Encoding": coding, "If-None-Match": tag } });
    expect((await ask("gzip")).status).toBe(304);
    expect((await ask("zstd")).status).toBe(200);
  });
  test("HEAD works in open access, for errors too, and a 304 keeps the open headers", async () => {
    for (const [path, status] of [
      ["/api/v1/businesses", 200],
      ["/api/v1/businesses/nobody", 404],
    ] as const) {
      const head = await open(path, { method: "HEAD" });
      expect(head.status).toBe(status);
      expect(head.headers.get("x-ratelimit-limit")).toBe("60");
      expect(await head.text()).toBe("");
    }
    const tag = (await open("/api/v1/businesses")).headers.get("ETag") ?? "";
    const same = await open("/api/v1/businesses", { headers: { "If-None-Match": tag } });
    expect(same.status).toBe(304);
    expect(same.headers.get("x-ratelimit-limit")).toBe("60");
    expect(same.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });
  test("a coding that the caller ranks below identity is not used", async () => {
    const response = await keyed("/api/v1/businesses", {
      headers: { "Accept-Encoding": "identity;q=1, gzip;q=0.1" },
    });
    expect(response.headers.get("Content-Encoding")).toBeNull();
  });
  test("a coding with weight zero is not used", async () => {
    const response = await keyed("/api/v1/businesses", {
      headers: { "Accept-Encoding": "gzip;q=0, zstd;q=0, br" },
    });
    expect(response.headers.get("Content-Encoding")).toBeNull();
  });
});

describe("other errors", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    test(`${method} is 405 method_not_allowed with Allow`, async () => {
      for (const ask of [open, keyed]) {
        const response = await ask("/api/v1/businesses", { method });
        expect(response.status).toBe(405);
        expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
        const isOpen = ask === open;
        expect(response.headers.get("x-ratelimit-limit")).toBe(isOpen ? "60" : null);
        expect(response.headers.get("Access-Control-Allow-Origin")).toBe(isOpen ? "*" : null);
        expect(await response.json()).toMatchObject({
          error: "method_not_allowed",
          message: `${method} is not supported here. Use one of: GET, HEAD, OPTIONS.`,
        });
      }
      for (const path of ["/api/v1/openapi.json", "/llms.txt", "/healthz"]) {
        expect([path, (await open(path, { method })).status]).toEqual([path, 405]);
      }
    });
  }
  test("a path outside /api/v1 is 404 not_found", async () => {
    for (const path of [
      "/api/v2/businesses",
      "/businesses.json",
      "/api/v1",
      "/api/v1/businesses/a/b",
      "/%zz",
    ]) {
      const response = await open(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toEqual({ error: "not_found" });
    }
  });
});

describe("variants", () => {
  test("without an Authorization header a shared path is open", async () => {
    expect(Object.keys(await json(open("/api/v1/businesses")))).toContain("businesses");
  });
  test("with an Authorization header it is keyed", async () => {
    expect(Object.keys(await json(keyed("/api/v1/businesses")))).toEqual(["data", "meta"]);
    expect((await open("/api/v1/businesses", { headers: { Authorization: "" } })).status).toBe(401);
  });
  test("caches keep the two variants apart", async () => {
    expect((await open("/api/v1/businesses")).headers.get("Vary")).toContain("Authorization");
  });
  test("OPEN_ACCESS=off answers 401 missing without the header, and as ever with a key", async () => {
    await using closed = await startTestServer({ openAccess: false });
    for (const path of [
      ...["/api/v1/businesses", "/api/v1/businesses/x", "/api/v1/categories"],
      ...["/api/v1/search?q=x", "/api/v1/usage", "/api/v1/none"],
    ]) {
      const response = await fetch(closed.url + path);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: "missing" });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
      for (const method of ["POST", "OPTIONS"]) {
        expect((await fetch(closed.url + path, { method })).status).toBe(401);
      }
    }
    const headers = { Authorization: `Bearer ${await closed.issueKey()}` };
    const page = await fetch(`${closed.url}/api/v1/businesses`, { headers });
    expect([page.status, Object.keys(await page.json())]).toEqual([200, ["data", "meta"]]);
    expect((await fetch(`${closed.url}/api/v1/none`, { headers })).status).toBe(404);
    const document = await fetch(`${closed.url}/api/v1/openapi.json`);
    expect(document.status).toBe(200);
    expect(document.headers.get("x-ratelimit-limit")).toBeNull();
    // Nor do the API's documents mention answers without a key.
    for (const path of ["/developers", "/llms.txt", "/api/v1/openapi.json"]) {
      const text = await (await fetch(closed.url + path)).text();
      expect([path, /open answers|call without a key/i.exec(text)?.[0]]).toEqual([path, undefined]);
    }
  });
});

test("a committed change shows in lists, details and categories within a second", async () => {
  const { sql } = server;
  const countDentists = async () => {
    const { data } = await json(keyed("/api/v1/categories"));
    return data.find(({ slug }: { slug: string }) => slug === "dentists").businessCount;
  };
  expect(await countDentists()).toBe(0);
  const newcomer = { slug: "newcomer", category: "dentists", city: "Ripon" };
  await addBusiness(sql, { ...newcomer, status: "pending" });
  expect((await open("/api/v1/businesses/newcomer")).status).toBe(404);
  await sql`update businesses set status = 'approved' where slug = 'newcomer'`;
  await until(async () => (await open("/api/v1/businesses/newcomer")).status === 200, 1_000);
  await until(async () => (await json(open("/api/v1/businesses?city=ripon"))).total === 1, 1_000);
  await until(async () => (await countDentists()) === 1, 1_000);
  await sql`update businesses set status = 'suspended' where slug = 'newcomer'`;
  await until(async () => (await open("/api/v1/businesses/newcomer")).status === 404, 1_000);
  await until(async () => (await json(open("/api/v1/businesses?city=ripon"))).total === 0, 1_000);
});
