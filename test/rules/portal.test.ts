import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { addBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";

// How keys are obtained, and the search that the API shares with the site.

const server = await startTestServer({ applications: "auto" });
const key = await server.issueKey({ tier: "growth" });
const authorization = { Authorization: `Bearer ${key}` };
afterAll(() => server.stop());

const page = (path: string, form?: Record<string, string>) =>
  fetch(server.url + path, {
    redirect: "manual",
    headers: { Accept: "text/html", ...(form && { Origin: server.url }) },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });

test("a free key is issued on application at /developers, and revealed once", async () => {
  expect((await page("/developers")).status).toBe(200);
  const applied = await page("/developers/applications", {
    name: "Ada Shah",
    email: "ada@map.example",
    purpose: "A map of plumbers",
  });
  const address = applied.headers.get("Location") ?? "";
  const reveal = async () => {
    const answer = await page(address, { action: "reveal" });
    return /hs_live_[A-Za-z0-9]{38}/.exec(await answer.text())?.[0];
  };
  const key = (await reveal()) ?? "";
  const used = await fetch(`${server.url}/api/v1/categories`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(used.status).toBe(200);
  expect(await reveal()).toBeUndefined();
  const [stored] =
    await server.sql`select to_jsonb(k)::text as everything from api_keys as k where email = 'ada@map.example'`;
  expect(stored?.everything).not.toContain(key.slice(14));
});

describe("search", () => {
  const slugsOf = async (query: string) => {
    const response = await fetch(`${server.url}/api/v1/search?q=${query}`, {
      headers: authorization,
    });
    const { data } = (await response.json()) as { data: { slug: string }[] };
    return data.map(({ slug }) => slug);
  };
  beforeAll(async () => {
    const { sql } = server;
    await addBusiness(sql, { slug: "plain", name: "Quillfeather Ironworks", rating: 1 });
    await addBusiness(sql, {
      slug: "shiny",
      name: "Shiny",
      shortDescription: "We know Quillfeather.",
      isPremium: true,
      rating: 5,
    });
    await addBusiness(sql, {
      slug: "twin-of-few",
      name: "Mortimer Twins",
      rating: 4,
      reviewCount: 2,
    });
    await addBusiness(sql, {
      slug: "twin-of-many",
      name: "Mortimer Twins",
      rating: 4,
      reviewCount: 9,
    });
    await addBusiness(sql, {
      slug: "twin-of-rank",
      name: "Mortimer Twins",
      isPremium: true,
      rating: 1,
    });
    await addBusiness(sql, {
      slug: "twin-of-stars",
      name: "Mortimer Twins",
      rating: 5,
      reviewCount: 1,
    });
    await server.searchable("twin-of-stars");
  });

  test("text comes first: premium and five stars do not rank a worse match higher", async () => {
    expect(await slugsOf("quillfeather")).toEqual(["plain", "shiny"]);
  });
  test("premium, rating and reviews break ties of equal text", async () => {
    expect(await slugsOf("mortimer+twins")).toEqual([
      "twin-of-rank",
      "twin-of-stars",
      "twin-of-many",
      "twin-of-few",
    ]);
  });
  test("the site's own page shows the same set in the same order", async () => {
    const html = await (await page("/search?q=mortimer+twins")).text();
    const shown = [...html.matchAll(/href="\/businesses\/([a-z0-9-]+)"/g)].map(([, slug]) => slug);
    expect(shown).toEqual(await slugsOf("mortimer+twins"));
  });
  test("a suspended business disappears from search at once, also while the index lags", async () => {
    await addBusiness(server.sql, { slug: "there", name: "Ravenscroft" });
    await addBusiness(server.sql, { slug: "gone", name: "Ravenscroft" });
    await server.searchable("there");
    await server.searchable("gone");
    await server.sql`update businesses set status = 'suspended' where slug = 'gone'`;
    expect(await slugsOf("ravenscroft")).toEqual(["there"]);
  });
  test("a change is searchable within five seconds", async () => {
    await addBusiness(server.sql, { slug: "renamed", name: "Underhill" });
    await server.searchable("renamed");
    await server.sql`update businesses set name = 'Zephyrine' where slug = 'renamed'`;
    await until(async () => (await slugsOf("zephyrine")).length === 1, 5_000);
  });
});
