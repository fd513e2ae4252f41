import { describe, expect, test } from "bun:test";
import { listCategories } from "../../src/directory/categories.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";
import { startSite } from "./site.ts";

const { server, open } = await startSite();
const { sql } = server;
await addBusiness(sql, { slug: "pending-shop", status: "pending" });
await addBusiness(sql, { slug: "late-shop" });
await server.searchable("late-shop");

describe("for search engines", () => {
  test("robots.txt excludes private pages and names the sitemap, which has every approved business once", async () => {
    const { baseUrl } = server.config;
    const robots = (await open("/robots.txt")).html;
    expect(robots).toContain(`Sitemap: ${baseUrl}/sitemap.xml`);
    expect(robots).toContain("Disallow: /developers/applications\n");
    // The reference, which is in the sitemap, is rendered from it.
    expect(robots).toContain("\nAllow: /api/v1/openapi.json\nDisallow: /search\nDisallow: /api/\n");
    const locations = (xml: string) =>
      [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) =>
        (url as string).slice(baseUrl.length),
      );
    const files = locations((await open("/sitemap.xml")).html);
    const names = ["places", "cities-1", "businesses-1"];
    expect(files).toEqual(names.map((name) => `/sitemaps/${name}.xml`));
    const [places, cities, businesses] = await Promise.all(files.map((file) => open(file)));
    const categories = await listCategories(sql);
    const withBusinesses = categories.filter(({ businessCount }) => businessCount > 0);
    expect(withBusinesses.length).toBeWithin(1, categories.length);
    expect(locations(places?.html ?? "")).toEqual([
      ...["/", "/cities", "/developers", "/developers/reference"],
      ...withBusinesses.map(({ slug }) => `/categories/${slug}`),
    ]);
    expect(locations(cities?.html ?? "")).toContain("/cities/leeds");
    const approved = await sql<{ slug: string }[]>`
      select slug from businesses where status = 'approved'`;
    expect(locations(businesses?.html ?? "").sort()).toEqual(
      approved.map(({ slug }) => `/businesses/${slug}`).sort(),
    );
    const [late] = await sql<[{ updatedAt: Date }]>`
      select updated_at as "updatedAt" from businesses where slug = 'late-shop'`;
    expect(businesses?.html).toContain(
      `/businesses/late-shop</loc><lastmod>${late.updatedAt.toISOString()}</lastmod>`,
    );
    expect((await open("/sitemaps/cities-2.xml")).status).toBe(404);
    expect((await open("/sitemaps/businesses-2.xml")).status).toBe(404);
    expect((await open("/sitemaps/businesses-0.xml")).status).toBe(404);
  });

  test("an empty directory says so, and links nowhere", async () => {
    await using empty = await startTestServer();
    const front = await (await fetch(empty.url)).text();
    expect(front).toContain("No businesses are listed here at the moment");
    expect(front).not.toContain("All towns and cities");
    const towns = await fetch(`${empty.url}/cities`);
    expect([towns.status, towns.headers.get("X-Robots-Tag")]).toEqual([200, "noindex"]);
    expect(await towns.text()).toContain("No towns are listed here at the moment");
    const files = await (await fetch(`${empty.url}/sitemap.xml`)).text();
    expect(files.match(/<sitemap>/g)).toHaveLength(1);
  });

  test("search results and error pages are noindex, lists are not", async () => {
    expect((await open("/search?q=pub")).headers.get("X-Robots-Tag")).toBe("noindex");
    expect((await open("/nothing")).headers.get("X-Robots-Tag")).toBe("noindex");
    expect((await open("/cities/leeds")).headers.get("X-Robots-Tag")).toBeNull();
    expect((await open("/categories/plumbers")).headers.get("X-Robots-Tag")).toBeNull();
  });

  test("an empty list says so and is noindex, until it has a business", async () => {
    await addBusiness(sql, { slug: "only-shop", city: "Quiet Town", status: "pending" });
    const look = async (path: string) => {
      const { status, headers, html } = await open(path);
      const isEmpty = html.includes("No businesses are listed here at the moment");
      const isFound = headers.get("X-Robots-Tag") === null && html.includes('rel="canonical"');
      return { path, status, isEmpty, isFound };
    };
    const paths = ["/cities/quiet-town", "/categories/plumbers?city=quiet-town"];
    for (const path of paths) {
      expect(await look(path)).toEqual({ path, status: 200, isEmpty: true, isFound: false });
    }
    await sql`update businesses set status = 'approved' where slug = 'only-shop'`;
    for (const path of paths) {
      expect(await look(path)).toEqual({ path, status: 200, isEmpty: false, isFound: true });
    }
  });
});
