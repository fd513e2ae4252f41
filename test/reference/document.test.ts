import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { listCategories } from "../../src/directory/categories.ts";
import type { Category } from "../../src/directory/schemas.ts";
import { keyedListParameters } from "../../src/handlers/businesses.ts";
import { searchParameters } from "../../src/handlers/search.ts";
import { parseQuery, parseSlug } from "../../src/http/parameters.ts";
import { openApiDocument } from "../../src/reference/document.ts";
import {
  categoryList,
  keyedBusiness,
  openBusiness,
  openPage,
} from "../../src/reference/examples.ts";
import { operations } from "../../src/reference/operations.ts";
import type { errorResponse } from "../../src/reference/responses.ts";
import { addBusiness } from "../fixtures.ts";
import { checkAgainst, checkedAnswers, type OpenApiDocument } from "../openapi-check.ts";
import { startTestServer, type TestServer } from "../support.ts";

const baseUrl = "https://directory.example";
const documentOf = (openAccess: boolean) => openApiDocument({ baseUrl, openAccess });

/** The names of a response's headers, with `!` after those that it requires. */
function headersOf(response: unknown): string {
  const { headers } = response as { headers: Record<string, { required?: boolean }> };
  return Object.entries(headers)
    .map(([name, { required }]) => name + (required ? "!" : ""))
    .join(" ");
}

describe("the OpenAPI document", () => {
  for (const openAccess of [true, false]) {
    test(`an independent validator finds 0 errors with open access ${openAccess ? "on" : "off"}`, async () => {
      const result = await new Validator().validate(structuredClone(documentOf(openAccess)));
      expect(result).toEqual({ valid: true });
    });
  }
  test("the validator does find errors", async () => {
    const { paths: _, ...broken } = documentOf(true);
    const result = await new Validator().validate({ ...broken, path: {} });
    expect(result.valid).toBe(false);
  });

  test("every example matches its schema, also with a field of a later version", () => {
    const document = documentOf(true);
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
    let examples = 0;
    const visit = (node: unknown, pointer: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { schema, examples: given } = node as { schema?: object; examples?: object };
      if (schema && given) {
        const validate = ajv.compile({ $ref: `document#${pointer}/schema` });
        for (const { value } of Object.values(given)) {
          for (const answer of [value, { ...value, gained: 1 }]) {
            expect([pointer, answer, validate(answer), validate.errors]).toEqual([
              pointer,
              answer,
              true,
              null,
            ]);
          }
          examples++;
        }
      }
      for (const [step, child] of Object.entries(node)) {
        const escaped = encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
        visit(child, `${pointer}/${escaped}`);
      }
    };
    visit({ paths: document.paths, components: { responses: document.components.responses } }, "");
    expect(examples).toBeGreaterThan(40);
  });

  test("the business with a masked phone in the examples is not the one that they show with all its phone", () => {
    const [masked] = openPage.businesses;
    expect(masked?.phone).toEndWith(" ****");
    expect(openBusiness.phone).not.toContain("*");
    for (const field of ["id", "slug", "name", "website"] as const) {
      expect(masked?.[field]).not.toBe(openBusiness[field]);
    }
  });

  test("operations of both variants take an optional key, the others require one; without open access all do", () => {
    const security = (openAccess: boolean) =>
      Object.fromEntries(
        Object.values(documentOf(openAccess).paths).map(({ get }) => [
          get.operationId,
          get.security,
        ]),
      );
    const keyed = [{ apiKey: [] }];
    const either = [{}, { apiKey: [] }];
    const others = {
      listCategories: keyed,
      listCities: keyed,
      searchBusinesses: keyed,
      getUsage: keyed,
      getOpenApi: [],
      getHealth: [],
    };
    expect(security(true)).toEqual({ listBusinesses: either, getBusiness: either, ...others });
    expect(security(false)).toEqual({ listBusinesses: keyed, getBusiness: keyed, ...others });
  });

  test("a response requires the headers that it always has, and may have those of either variant", () => {
    const OPEN = "x-ratelimit-limit Access-Control-Allow-Origin Access-Control-Expose-Headers";
    const valid = "ETag! Vary! Cache-Control!";
    for (const [openAccess, id, status, expected] of [
      [true, "listBusinesses", 200, `${valid} ${OPEN} RateLimit-Policy RateLimit`],
      [true, "listBusinesses", 304, `${valid} ${OPEN} RateLimit-Policy RateLimit`],
      [true, "listBusinesses", 400, `Cache-Control! Vary ${OPEN} RateLimit-Policy RateLimit`],
      [true, "listBusinesses", 401, "Cache-Control! WWW-Authenticate! Vary"],
      [true, "listBusinesses", 403, "Cache-Control! Vary"],
      [
        true,
        "listBusinesses",
        429,
        `Cache-Control! Retry-After! Vary ${OPEN} RateLimit-Policy RateLimit`,
      ],
      [true, "listBusinesses", 503, `Cache-Control! Retry-After! Vary ${OPEN}`],
      [false, "listBusinesses", 200, `${valid} RateLimit-Policy! RateLimit!`],
      [false, "listBusinesses", 400, "Cache-Control! RateLimit-Policy! RateLimit! Vary"],
      [false, "listBusinesses", 503, "Cache-Control! Retry-After! Vary"],
      [true, "listCities", 429, "Cache-Control! Retry-After! Vary RateLimit-Policy RateLimit"],
      [true, "listCities", 503, "Cache-Control! Retry-After! Vary"],
      [true, "getUsage", 200, valid],
      [true, "getUsage", 429, "Cache-Control! Retry-After! Vary"],
    ] as const) {
      const operations = Object.values(documentOf(openAccess).paths).map(({ get }) => get);
      const { responses } = operations.find(({ operationId }) => operationId === id) ?? {};
      expect([openAccess, id, status, headersOf(responses?.[status])]).toEqual([
        openAccess,
        id,
        status,
        expected,
      ]);
    }
    for (const openAccess of [true, false]) {
      const { MethodNotAllowed, NoSuchPath } = documentOf(openAccess).components.responses;
      const further = openAccess ? ` ${OPEN}` : "";
      expect([headersOf(MethodNotAllowed), headersOf(NoSuchPath)]).toEqual([
        `Allow! Cache-Control! Vary${further}`,
        `Cache-Control! Vary${further}`,
      ]);
    }
  });

  test("a refusal shows what this operation answers, and when if there are several reasons", () => {
    const [list, detail, , , search] = Object.values(documentOf(true).paths).map(
      ({ get }) => get.responses as Record<number, ReturnType<typeof errorResponse>>,
    );
    const fault = (responses: typeof list) =>
      responses?.[400]?.content["application/json"].examples.InvalidParameter;
    expect([fault(list), fault(detail), fault(search)]).toMatchObject(
      ["page", "slug", "q"].map((parameter) => ({ value: { parameter } })),
    );
    const { schema, examples } = list?.[403]?.content["application/json"] ?? {};
    const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}Error` });
    expect(schema).toEqual({ oneOf: [$ref("Revoked"), $ref("Expired")] });
    expect(search?.[400]?.content["application/json"].schema).toEqual($ref("InvalidParameter"));
    expect(examples).toEqual({
      Revoked: { summary: "The key has been revoked.", value: { error: "revoked" } },
      Expired: { summary: "The key has expired.", value: { error: "expired" } },
    });
    expect(list?.[403]?.description).toBe("The key has been revoked. Or: The key has expired.");
  });

  test("an operation of both variants says which of them is answered", () => {
    const told = (openAccess: boolean) =>
      JSON.stringify(documentOf(openAccess)).match(
        /Without a key it is an? \w+, with a key an? \w+/g,
      );
    expect(told(true)).toEqual([
      "Without a key it is an OpenPage, with a key a KeyedPage",
      "Without a key it is an OpenBusiness, with a key a KeyedBusiness",
    ]);
    expect(told(false)).toBeNull();
  });

  test("it has no unused schemas", () => {
    for (const openAccess of [true, false]) {
      const document = documentOf(openAccess);
      const text = JSON.stringify(document);
      const unused = Object.keys(document.components.schemas).filter(
        (name) => !text.includes(`"#/components/schemas/${name}"`),
      );
      expect(unused).toEqual([]);
    }
  });

  test("pages and usage have named types, so that code around generated clients can share and name them", () => {
    const { schemas } = documentOf(true).components;
    const meta = { meta: { $ref: "#/components/schemas/PageMeta" } };
    expect(schemas).toMatchObject({
      KeyedPage: { properties: meta },
      CityList: { properties: meta },
      Usage: { properties: { data: { $ref: "#/components/schemas/UsageReport" } } },
    });
  });

  test("every enum has a type as well, which client generators rely on", () => {
    const typeless: string[] = [];
    let fixed = 0;
    JSON.stringify(documentOf(true), (_, node) => {
      if (node?.const !== undefined || Array.isArray(node?.enum)) {
        fixed++;
        if (typeof node.type !== "string") typeless.push(JSON.stringify(node));
      }
      return node;
    });
    expect(typeless).toEqual([]);
    expect(fixed).toBeGreaterThan(15);
  });

  test("escapes in patterns are in capitals, the only ones that Go's kin-openapi converts", () => {
    const escapes = JSON.stringify(documentOf(true)).match(/\\\\u\w{4}/g) ?? [];
    expect(escapes.length).toBeGreaterThan(5);
    expect(escapes.filter((one) => !/\\u[\dA-F]{4}$/.test(one))).toEqual([]);
  });

  test("without open access it mentions no response or header of open access", () => {
    expect(JSON.stringify(documentOf(false))).not.toMatch(
      /Open(ListItem|Page|Business)\b|x-ratelimit-limit|Access-Control|Open access/,
    );
  });

  test("each operation has the statuses that it may answer with, and no others", () => {
    const statuses = Object.values(documentOf(true).paths).map(({ get }) => [
      get.operationId,
      Object.keys(get.responses).join(" "),
    ]);
    expect(Object.fromEntries(statuses)).toEqual({
      listBusinesses: "200 304 400 401 403 429 500 503",
      getBusiness: "200 304 400 401 403 404 429 500 503",
      listCategories: "200 304 401 403 429 500 503",
      listCities: "200 304 400 401 403 429 500 503",
      searchBusinesses: "200 304 400 401 403 429 500 503",
      getUsage: "200 304 401 403 429 500 503",
      // It needs no store.
      getOpenApi: "200 304 500",
      getHealth: "200 304 500 503",
    });
  });

  test("the example of each error has its own code", () => {
    const { schemas, responses } = documentOf(true).components;
    const ajv = new Ajv2020({ strict: false });
    const answers = Object.values(documentOf(true).paths).flatMap(({ get }) =>
      Object.values<Partial<ReturnType<typeof errorResponse>>>({ ...get.responses, ...responses }),
    );
    const errors = answers
      .flatMap(({ content }) => Object.entries(content?.["application/json"].examples ?? {}))
      .filter(([name]) => `${name}Error` in schemas);
    const wrong = errors.filter(([name, example]) => {
      const { value } = example as { value: unknown };
      return !ajv.validate(schemas[`${name}Error`] as object, value);
    });
    expect([errors.length > 40, wrong]).toEqual([true, []]);
  });

  test("parameters have the service's defaults and maxima", () => {
    const parameters = documentOf(true).paths["/api/v1/businesses"]?.get.parameters ?? [];
    const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    expect(schemas).toMatchObject({
      page: { type: "integer", minimum: 1, default: 1 },
      limit: { type: "integer", minimum: 1, maximum: 20, default: 20 },
      per_page: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    });
  });
  test("a parameter says which variant reads it where there are two and one does", () => {
    const notes = (path: string, openAccess: boolean) =>
      Object.fromEntries(
        (documentOf(openAccess).paths[path]?.get.parameters ?? []).map(({ name, description }) => [
          name,
          /With(out)? a key only\.$/.exec(description)?.[0],
        ]),
      );
    expect(notes("/api/v1/businesses", true)).toMatchObject({
      limit: "Without a key only.",
      per_page: "With a key only.",
      city: undefined,
    });
    for (const [path, openAccess] of [
      ["/api/v1/businesses", false],
      ["/api/v1/search", true],
    ] as const) {
      const said = Object.values(notes(path, openAccess));
      expect([said.length > 0, said.filter(Boolean)]).toEqual([true, []]);
    }
  });
  test("free operations are never said to use up a limit, nor those of both variants to lack a key", () => {
    const errorsOf = (path: string, status: number, openAccess = true) => {
      const { paths } = documentOf(openAccess);
      const responses: Record<string, unknown> = paths[path]?.get.responses ?? {};
      const { content } = responses[status] as ReturnType<typeof errorResponse>;
      return Object.keys(content["application/json"].examples);
    };
    const limits = ["TooManyRequests", "RateLimited", "QuotaExceeded"];
    expect(errorsOf("/api/v1/usage", 429)).toEqual(["TooManyRequests"]);
    expect(errorsOf("/api/v1/search", 429)).toEqual(limits);
    expect(errorsOf("/api/v1/search", 401)).toEqual(["Missing", "Invalid"]);
    expect(errorsOf("/api/v1/businesses", 401)).toEqual(["Invalid"]);
    expect(errorsOf("/api/v1/businesses", 401, false)).toEqual(["Missing", "Invalid"]);
  });
  test("refunded answers do not show what a key has left", () => {
    const fieldsOf = (path: string, status: number) => {
      const responses: Record<string, unknown> = documentOf(true).paths[path]?.get.responses ?? {};
      const { headers } = responses[status] as ReturnType<typeof errorResponse>;
      return Object.keys(headers).filter((name) => /ratelimit/i.test(name));
    };
    expect(fieldsOf("/api/v1/search", 429)).toEqual(["RateLimit-Policy", "RateLimit"]);
    expect(fieldsOf("/api/v1/search", 503)).toEqual([]);
    expect(fieldsOf("/api/v1/businesses", 503)).toEqual(["x-ratelimit-limit"]);
  });
});

describe("a value that the document calls valid is accepted", () => {
  const ajv = new Ajv2020({ strict: false });
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 210, size: "max" }),
    fc.string({ unit: fc.constantFrom("a", " ", "\n", "\u00a0", "\ufffd"), maxLength: 5 }),
    // Each is two UTF-16 code units.
    fc.string({ unit: fc.constant("\u{1f35f}"), maxLength: 210, size: "max" }),
  );
  const takes = {
    city: (value: string) => parseQuery(`city=${value}`, keyedListParameters),
    category: (value: string) => parseQuery(`category=${value}`, keyedListParameters),
    slug: parseSlug,
    q: (value: string) => parseQuery(`q=${value}`, searchParameters),
  };
  const parameters = Object.values(documentOf(true).paths).flatMap(({ get }) => get.parameters);
  for (const [name, parse] of Object.entries(takes)) {
    test(`as ${name}`, () => {
      const parameter = parameters.find((each) => each.name === name);
      const isValid = ajv.compile({ ...parameter?.schema } as object);
      let valid = 0;
      fc.assert(
        fc.property(text, (value) => {
          if (!isValid(value)) return;
          valid++;
          expect(parse(encodeURIComponent(value))).toMatchObject({ ok: true });
        }),
        { numRuns: 1_000, seed: 20_261_122 },
      );
      expect(valid).toBeGreaterThan(200);
    });
  }
});

describe("the check of answers against the document", () => {
  const check = checkAgainst(documentOf(true) as unknown as OpenApiDocument);
  const answer = {
    method: "GET",
    path: "/api/v1/businesses/nobody",
    status: 404,
    headers: new Headers({
      "Content-Type": "application/json; charset=utf-8",
      Vary: "Authorization",
      "Cache-Control": "no-store",
    }),
    body: '{"error":"not_found"}',
  };
  const withHeader = (name: string, value: string) => {
    const headers = new Headers(answer.headers);
    headers.set(name, value);
    return { ...answer, headers };
  };
  const without = (name: string) => {
    const headers = new Headers(answer.headers);
    headers.delete(name);
    return { ...answer, headers };
  };
  test("a documented answer passes", () => expect(() => check(answer)).not.toThrow());
  const wrong = {
    "a status that is not documented": { ...answer, status: 418 },
    "a field more": { ...answer, body: '{"error":"not_found","message":"x"}' },
    "a field less": { ...answer, body: "{}" },
    "a type that is not documented": withHeader("Content-Type", "text/html"),
    "a header that is not documented": withHeader("X-Powered-By", "something"),
    "a header of the wrong value": withHeader("x-ratelimit-limit", "59"),
    "a header that is missing": without("Cache-Control"),
    "a path that does not exist": { ...answer, path: "/api/v1/secrets", status: 200 },
  };
  for (const [fault, given] of Object.entries(wrong)) {
    test(`${fault} does not`, () => expect(() => check(given)).toThrow("not as documented"));
  }
});

describe("what the server says about itself", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await addBusiness(server.sql, { slug: "a-shop" });
  });
  afterAll(() => server.stop());

  test("the document is free, may be read from any web page, and has an ETag", async () => {
    const ask = (headers = {}) => fetch(`${server.url}/api/v1/openapi.json`, { headers });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const [first] = answers;
    expect(first?.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await ask({ "If-None-Match": first?.headers.get("ETag") ?? "" })).status).toBe(304);
    const { baseUrl, openAccess } = server.config;
    expect(await first?.json()).toEqual(
      JSON.parse(JSON.stringify(openApiDocument({ baseUrl, openAccess }))),
    );
  });

  test("an invalid request gets the very 400 that its operation has as an example", async () => {
    const headers = { Authorization: `Bearer ${await server.issueKey()}` };
    const parameters: string[] = [];
    for (const { path, invalid } of operations) {
      if (invalid === undefined) continue;
      const isSlug = path.includes("{slug}");
      const address = isSlug ? path.replace("{slug}", invalid) : `${path}?${invalid}`;
      const answer = await fetch(server.url + address, { headers });
      expect(answer.status).toBe(400);
      const responses: Record<string, unknown> = documentOf(true).paths[path]?.get.responses ?? {};
      const { content } = responses[400] as ReturnType<typeof errorResponse>;
      const value = await answer.json();
      expect(content["application/json"].examples.InvalidParameter).toMatchObject({ value });
      parameters.push(value.parameter);
    }
    expect(parameters).toEqual(["page", "slug", "page", "q"]);
  });

  test("/healthz is as documented, and so are the free paths", async () => {
    const before = checkedAnswers();
    const health = await fetch(`${server.url}/healthz`);
    const { headers } = await fetch(`${server.url}/api/v1/openapi.json`);
    await fetch(`${server.url}/api/v1/openapi.json`, {
      headers: { "If-None-Match": headers.get("ETag") ?? "" },
    });
    await fetch(`${server.url}/healthz`, { method: "DELETE" });
    expect(await health.json()).toMatchObject({ status: "ok" });
    expect(checkedAnswers()).toBe(before + 4);
  });

  test("every answer to fetch counts as checked", async () => {
    const before = checkedAnswers();
    await fetch(`${server.url}/api/v1/businesses`);
    expect(checkedAnswers()).toBe(before + 1);
  });

  test("llms.txt is plain text that names every path and every error", async () => {
    const response = await fetch(`${server.url}/llms.txt`);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    for (const path of Object.keys(documentOf(true).paths)) expect(text).toContain(`GET ${path}`);
    expect(text).toContain("GET /api/v1/businesses` (key optional): ");
    expect(text).toContain("GET /api/v1/search` (key required): ");
    for (const code of ["missing", "invalid", "revoked", "expired", "not_found", "rate_limited"]) {
      expect(text).toContain(`{"error":"${code}"`);
    }
    expect(text).toContain("`city` and `category` are slugs");
    expect(text).toContain("- `per_page` (1 to 100, 20 by default): ");
    expect(text).toContain("- `q` (1 to 200 characters, required): ");
    expect(text).toMatch(/- `city` \(1 to \d+ characters, optional\): /);
    // Both shapes of those that have two.
    for (const start of ['{"businesses":[', '{"data":[{"slug"', '{"id":', '{"data":{"id"']) {
      expect(text).toContain(start);
    }
  });

  test("the introduction names the credits that the licences of open data require", async () => {
    for (const path of ["/llms.txt", "/api/v1/openapi.json"]) {
      const text = await (await fetch(server.url + path)).text();
      expect(text).toContain("© OpenStreetMap contributors, [Open Database Licence](https://");
      expect(text).toContain("Food Standards Agency, [Open Government Licence v3.0](https://");
    }
  });

  test("wherever Retry-After is explained, nobody is told to sleep until the next month", async () => {
    const told = async (path: string) => {
      const text = await (await fetch(server.url + path)).text();
      const words = text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
      return words.match(
        /until the first of the next month[^.]* stop and alert someone instead of sleeping/g,
      );
    };
    // Among the limits, and among the errors.
    expect(await told("/developers")).toHaveLength(2);
    expect(await told("/llms.txt")).toHaveLength(1);
    expect(await told("/api/v1/openapi.json")).not.toBeNull();
  });

  test("the category of the examples is in the taxonomy, below the parent that they show", async () => {
    const category = (await listCategories(server.sql)).find(({ slug }) => slug === "plumbers");
    const { businessCount: _, ...example } = categoryList.data[0] as Category;
    expect(category).toMatchObject(example);
    expect(keyedBusiness.data.category).toEqual({
      slug: example.slug,
      name: example.name,
      parent: example.parent,
    });
  });

  test("the guide gives the status and the code of every error", async () => {
    const html = await (await fetch(`${server.url}/developers`)).text();
    const rows = html.matchAll(/<tr><td>(\d+)<\/td><td><code>([^<]+)<\/code>/g);
    expect(Array.from(rows, ([, status, code]) => `${status} ${code}`)).toEqual([
      "400 invalid_parameter",
      "401 missing",
      "401 invalid",
      "403 revoked",
      "403 expired",
      "404 not_found",
      "405 method_not_allowed",
      "429 Too many requests…",
      "429 rate_limited",
      "429 quota_exceeded",
      "500 internal",
      "503 unavailable",
    ]);
  });

  test("the guide covers conditional requests, and what may change", async () => {
    const html = await (await fetch(`${server.url}/developers`)).text();
    for (const word of ["If-None-Match", "Accept-Encoding", "/api/v2"]) {
      expect(html).toContain(`<code>${word}</code>`);
    }
  });

  test("the reference page loads nothing from elsewhere and tells those without scripts where to go", async () => {
    const response = await fetch(`${server.url}/developers/reference`);
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    // These do not fall back to it. A page that framed this one could lure keys into it.
    for (const name of ["base-uri", "form-action", "frame-ancestors"]) {
      expect(policy).toContain(`${name} 'none'`);
    }
    expect(policy).not.toContain("http");
    expect(policy).not.toContain("*");
    expect(policy).not.toContain("unsafe-eval");
    const html = await response.text();
    expect(html).toMatch(/<div id="fallback">.*href="\/api\/v1\/openapi.json".*<\/div>/s);
    const script = /<script src="([^"]+)">/.exec(html)?.[1] ?? "";
    const bundle = await fetch(server.url + script);
    expect(bundle.headers.get("Content-Type")).toStartWith("text/javascript");
    expect(bundle.headers.get("Cache-Control")).toContain("immutable");
    expect((await bundle.text()).length).toBeGreaterThan(1_000_000);
    const other = await fetch(`${server.url}/developers/reference/scalar.js?v=0.0.1`);
    expect(other.headers.get("Cache-Control")).toBe("no-cache");
  });
});
