import { afterAll, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { addBusiness } from "../fixtures.ts";
import { newFolder, startTestServer } from "../support.ts";

// A client as a third party would generate it from the document, in a project of its own.

const PROJECT = join(import.meta.dir, "../..");

const tsconfig = {
  compilerOptions: {
    target: "ESNext",
    module: "Preserve",
    moduleResolution: "bundler",
    lib: ["ESNext", "DOM"],
    types: [],
    strict: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

const server = await startTestServer();
await addBusiness(server.sql, { slug: "a-shop", isClaimed: true });
await server.searchable("a-shop");
afterAll(() => server.stop());

const folder = await newFolder();
await symlink(join(PROJECT, "node_modules"), join(folder, "node_modules"));
const openApi = await (await fetch(`${server.url}/api/v1/openapi.json`)).text();
const generator = join(import.meta.dir, "generate-client.ts");
await Bun.write(join(folder, "schema.ts"), await run(["bun", generator], openApi));
await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));

const calls = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];

/** One call of each kind. The answers of the variants are told apart by their fields. */
export async function callAll(baseUrl: string, key: string) {
  const open = createClient<paths>({ baseUrl });
  const keyed = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

  const query = { city: "leeds", category: "plumbers", page: 1 };
  const openList = await open.GET("/api/v1/businesses", { params: { query: { ...query, limit: 5 } } });
  const openPage: Schemas["OpenPage"] | undefined =
    openList.data && "businesses" in openList.data ? openList.data : undefined;
  const keyedList = await keyed.GET("/api/v1/businesses", { params: { query: { ...query, per_page: 5 } } });
  const keyedPage: Schemas["KeyedPage"] | undefined =
    keyedList.data && "meta" in keyedList.data ? keyedList.data : undefined;

  const slug = openPage?.businesses[0]?.slug ?? "";
  const openOne = await open.GET("/api/v1/businesses/{slug}", { params: { path: { slug } } });
  const email: string | undefined = openOne.data && "email" in openOne.data ? openOne.data.email : undefined;
  const keyedOne = await keyed.GET("/api/v1/businesses/{slug}", { params: { path: { slug } } });
  const full = keyedOne.data && "data" in keyedOne.data ? keyedOne.data.data : undefined;
  const missing = await open.GET("/api/v1/businesses/{slug}", { params: { path: { slug: "nobody" } } });

  const categories = await keyed.GET("/api/v1/categories");
  const cities = await keyed.GET("/api/v1/cities", { params: { query: { per_page: 5 } } });
  const search = await keyed.GET("/api/v1/search", { params: { query: { q: "test shop", limit: 1 } } });
  const refused = await open.GET("/api/v1/search", { params: { query: { q: "test shop" } } });
  const usage = await keyed.GET("/api/v1/usage");
  const health = await open.GET("/healthz");
  const document = await open.GET("/api/v1/openapi.json");

  return {
    openTotal: openPage?.total,
    keyedTotal: keyedPage?.meta.total,
    email,
    isClaimed: full?.isClaimed,
    missing: missing.error,
    categories: categories.data?.data.some(({ slug }) => slug === "plumbers"),
    cities: cities.data?.meta,
    found: search.data?.data.map(({ slug }) => slug),
    refused: refused.error,
    used: usage.data?.data.used,
    status: health.data?.status,
    documents: document.data !== undefined && "openapi" in document.data,
  };
}
`;

const callsFile = join(folder, "calls.ts");
await Bun.write(callsFile, calls);
await Bun.write(
  join(folder, "wrong.ts"),
  `import createClient from "openapi-fetch";
import type { paths } from "./schema";
const client = createClient<paths>({ baseUrl: "" });
client.GET("/api/v1/search", { params: { query: { limit: 1 } } });
client.GET("/api/v1/secrets");
`,
);
// Both at once, since the compiler spends most of its time on the libraries. Indented lines continue a fault.
const compiled = await run(["tsc", "--project", folder]);
const faults = compiled.split("\n").filter((line) => /^\S/.test(line));

test("a client generated from the document compiles and makes one call of each kind", async () => {
  expect(faults.filter((fault) => !fault.includes("wrong.ts("))).toEqual([]);

  const { callAll } = await import(callsFile);
  expect(await callAll(server.url, await server.issueKey({ tier: "developer" }))).toEqual({
    openTotal: 1,
    keyedTotal: 1,
    email: "hello@shop.example",
    isClaimed: true,
    missing: { error: "not_found" },
    categories: true,
    cities: { page: 1, per_page: 5, total: 1, has_more: false },
    found: ["a-shop"],
    refused: { error: "missing" },
    used: 5,
    status: "ok",
    documents: true,
  });
});

test("calls that the document does not have do not compile", () => {
  expect(faults).toContainEqual(expect.stringContaining("wrong.ts(4,"));
  expect(faults).toContainEqual(expect.stringContaining("wrong.ts(5,"));
});

/** Runs a program of this project. @returns what it wrote */
async function run([program = "", ...rest]: string[], input = ""): Promise<string> {
  const path = join(PROJECT, "node_modules/.bin", program);
  const child = Bun.spawn([path, ...rest], { stdin: new Blob([input]), stderr: "inherit" });
  return await new Response(child.stdout).text();
}
