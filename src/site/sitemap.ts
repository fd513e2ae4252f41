import { listCategories } from "../directory/categories.ts";
import { countCitiesByInitial, listCities } from "../directory/cities.ts";
import { countApproved } from "../directory/listing.ts";
import { listSlugs } from "../directory/sitemap.ts";
import type { Answer } from "../http/answer.ts";
import { notFound } from "../http/errors.ts";
import { file } from "../http/files.ts";
import type { Handler } from "../http/handler.ts";
import type { Sql } from "../store/postgres.ts";

/** GET /robots.txt. */
export function robots(baseUrl: string): Handler {
  const body = [
    "User-agent: *",
    // The reference is rendered from it. Before the rule that it is an exception to, since some crawlers stop at
    // the first match.
    "Allow: /api/v1/openapi.json",
    "Disallow: /search",
    "Disallow: /api/",
    "Disallow: /developers/applications",
    "",
    `Sitemap: ${baseUrl}/sitemap.xml`,
    "",
  ].join("\n");
  const answer = file("text/plain", body, CACHING);
  return () => answer;
}

/** GET /sitemap.xml: the index of all files. */
export function sitemapIndex(sql: Sql, baseUrl: string): Handler {
  return async function sitemapIndex() {
    const [businesses, initials] = await Promise.all([
      countApproved(sql),
      countCitiesByInitial(sql),
    ]);
    const cities = initials.reduce((sum, each) => sum + each.cities, 0);
    const names = ["places", ...filesOf("cities", cities), ...filesOf("businesses", businesses)];
    const locations = names.map(
      (name) => `<sitemap>${loc(baseUrl, `/sitemaps/${name}.xml`)}</sitemap>`,
    );
    return xml("sitemapindex", locations);
  };
}

const filesOf = (kind: string, total: number) =>
  Array.from({ length: Math.ceil(total / FILE_SIZE) }, (_, n) => `${kind}-${n + 1}`);

/** GET /sitemaps/{name}.xml: one file of businesses or of cities, or the one of all other pages. */
export function sitemap(sql: Sql, baseUrl: string): Handler {
  return async function sitemap(_request, { segment }) {
    if (segment === "places.xml") return xml("urlset", await places(sql, baseUrl));
    const [, kind, number] = /^(cities|businesses)-([1-9]\d{0,5})\.xml$/.exec(segment) ?? [];
    if (!kind) return notFound();
    const part = { offset: (Number(number) - 1) * FILE_SIZE, limit: FILE_SIZE };
    const urls =
      kind === "cities"
        ? (await listCities(sql, part)).cities.map(({ slug }) => url(baseUrl, `/cities/${slug}`))
        : (await listSlugs(sql, part)).map(({ slug, updatedAt }) =>
            url(baseUrl, `/businesses/${slug}`, updatedAt),
          );
    return urls.length === 0 ? notFound() : xml("urlset", urls);
  };
}

async function places(sql: Sql, baseUrl: string): Promise<string[]> {
  const categories = await listCategories(sql);
  const paths = [
    "/",
    "/cities",
    "/developers",
    "/developers/reference",
    ...categories
      .filter(({ businessCount }) => businessCount > 0)
      .map(({ slug }) => `/categories/${slug}`),
  ];
  return paths.map((path) => url(baseUrl, path));
}

const url = (baseUrl: string, path: string, updatedAt?: Date) =>
  `<url>${loc(baseUrl, path)}${updatedAt ? `<lastmod>${updatedAt.toISOString()}</lastmod>` : ""}</url>`;

// Slugs need no escaping, but the base URL, which the operator chooses, may.
const loc = (baseUrl: string, path: string) => `<loc>${Bun.escapeHTML(baseUrl)}${path}</loc>`;

function xml(root: string, items: readonly string[]): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items.join("\n")}\n</${root}>\n`;
  return file("application/xml", text, CACHING);
}

/**
 * URLs in a file. The protocol (https://www.sitemaps.org/protocol.html) allows 50,000 in a file and 50,000
 * files. Compressing a file blocks other requests: with smaller files, only briefly.
 */
const FILE_SIZE = 10_000;

const CACHING = "public, max-age=3600";
