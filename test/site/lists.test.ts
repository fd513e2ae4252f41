import { describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { unavailable } from "../../src/http/errors.ts";
import { errorPage } from "../../src/site/errors.tsx";
import { addBusiness, addTowns } from "../fixtures.ts";
import { startTestServer } from "../support.ts";
import { slugsIn, startSite } from "./site.ts";

const { server, open } = await startSite();
const { sql } = server;

describe("lists", () => {
  test("of a town and a category are paginated in the order of the API", async () => {
    for (const [path, filter] of [
      ["/cities/london", "city=london"],
      ["/categories/eating-out", "category=eating-out"],
    ]) {
      const seen: (string | undefined)[] = [];
      const expected: string[] = [];
      for (const page of [1, 2, 3]) {
        seen.push(...slugsIn((await open(`${path}?page=${page}`)).html));
        const api = await fetch(`${server.url}/api/v1/businesses?${filter}&page=${page}`, {
          headers: { "X-Forwarded-For": "10.8.0.1" },
        });
        const { businesses } = (await api.json()) as { businesses: { slug: string }[] };
        expected.push(...businesses.map(({ slug }) => slug));
      }
      expect(seen).toEqual(expected);
      expect(seen.length).toBeGreaterThan(20);
    }
  });

  test("of a town link once to each category with businesses there", async () => {
    // A feed may know no more of a restaurant than that people eat there.
    await addBusiness(sql, { city: "London", category: "eating-out" });
    const { html } = await open("/cities/london");
    const linked = [...html.matchAll(/href="\/categories\/([^"?]+)\?city=london"/g)];
    const inUse = await sql<{ slug: string }[]>`
      select distinct c.slug from businesses as b
        join cities on cities.id = b.city_id join categories as c on c.id = b.category_id
      where cities.slug = 'london' and b.status = 'approved'`;
    expect(linked.map(([, slug]) => slug).sort()).toEqual(inUse.map(({ slug }) => slug).sort());
    expect(inUse.length).toBeGreaterThan(12);
  });

  test("of a category link to it in each town with such businesses, by name", async () => {
    const { html } = await open("/categories/pubs");
    const linked = [...html.matchAll(/href="\/categories\/pubs\?city=[^"]+">(.*?)<\/a>/g)];
    const inUse = await sql<{ name: string }[]>`
      select distinct cities.name from businesses as b
        join cities on cities.id = b.city_id join categories as c on c.id = b.category_id
      where c.slug = 'pubs' and b.status = 'approved'`;
    expect(inUse.length).toBeGreaterThan(12);
    expect(linked.map(([, name]) => name)).toEqual(inUse.map(({ name }) => name).sort());
    expect(html).not.toContain("all towns and cities");
  });

  test("of a category link to its children that have businesses", async () => {
    const { html } = await open("/categories/eating-out");
    const [below = ""] = /<nav aria-label="Subcategories">.*?<\/nav>/s.exec(html) ?? [];
    const linked = [...below.matchAll(/href="\/categories\/([^"]+)"/g)].map(([, slug]) => slug);
    const children = await sql<{ slug: string; isUsed: boolean }[]>`
      select slug, exists (
          select from businesses where category_id = c.id and status = 'approved') as "isUsed"
      from categories as c
      where parent_id = (select id from categories where slug = 'eating-out')`;
    const used = children.filter(({ isUsed }) => isUsed).map(({ slug }) => slug);
    expect(linked.sort()).toEqual(used.sort());
    expect([used.length > 0, used.length < children.length]).toEqual([true, true]);
  });

  test("say that featured businesses come first, where there are any", async () => {
    await addBusiness(sql, { city: "Featherby", rating: 5 });
    const { slug } = await addBusiness(sql, { city: "Featherby", rating: 2 });
    for (const path of ["/cities/featherby", "/categories/plumbers?city=featherby"]) {
      const before = await open(path);
      expect(before.html).not.toContain("Featured businesses come first");
      await sql`update businesses set is_premium = true where slug = ${slug}`;
      const { html } = await open(path);
      expect(html).toContain("Featured businesses come first");
      expect(slugsIn(html)[0]).toBe(slug);
      await sql`update businesses set is_premium = false where slug = ${slug}`;
    }
  });

  test("in a search, say that of equal matches featured businesses come first, where there are any", async () => {
    const path = "/search?q=plumbers+feltham";
    const said = "of equal ones, featured businesses, then the best rated";
    await addBusiness(sql, { city: "Feltham", rating: 5 });
    const { slug } = await addBusiness(sql, { city: "Feltham", rating: 2 });
    await server.searchable(slug);
    expect((await open(path)).html).not.toContain(said);

    await sql`update businesses set is_premium = true where slug = ${slug}`;
    await until(async () => slugsIn((await open(path)).html)[0] === slug, 20_000);
    expect((await open(path)).html).toContain(said);
  });

  test("of a category name the category of a business only if it is another", async () => {
    const named = async (path: string) =>
      new Set(
        Array.from((await open(path)).html.matchAll(/<p class="where">([^<]*)/g), (m) => m[1]),
      );
    expect(await named("/categories/pubs")).toEqual(new Set([""]));
    expect(await named("/categories/pubs-and-bars")).toContain("Pubs · ");
  });

  test("have one address for their first page", async () => {
    const first = await open("/cities/london");
    expect(first.html).toContain(
      `<link rel="canonical" href="${server.config.baseUrl}/cities/london"`,
    );
    const second = await open("/cities/london?page=2");
    expect(second.html).toContain('<a href="/cities/london" rel="prev">');
  });

  test("shown as popular are of trades, not of their branches", async () => {
    const { html } = await open("/");
    const [popular = ""] = /<h2>Popular categories<\/h2>.*?<\/section>/s.exec(html) ?? [];
    const linked = [...popular.matchAll(/href="\/categories\/([^"]+)"/g)].map(([, slug]) => slug);
    const branches = await sql<{ slug: string }[]>`
      select slug from categories as c where exists (select from categories where parent_id = c.id)`;
    expect(linked.length).toBe(12);
    expect(linked.filter((slug) => branches.some((branch) => branch.slug === slug))).toEqual([]);
  });

  test("of towns have every town with businesses under its letter", async () => {
    await addBusiness(sql, { city: "Eabury" });
    await sql`update cities set name = 'Éabury' where slug = 'eabury'`;
    await addBusiness(sql, { city: "Ezeron", status: "pending" });
    for (const city of ["3 Mile Cross", "7 Kings"]) await addBusiness(sql, { city });
    expect((await open("/")).html).toContain('<a href="/cities">All towns and cities</a>');
    const { html } = await open("/cities");
    const sections = [...html.matchAll(/<h2 id="([^"]+)">.*?<\/section>/gs)];
    const shown = sections.map(([section, letter]) => ({
      letter,
      towns: [...section.matchAll(/href="\/cities\/([^"]+)"/g)].map(([, town]) => town),
    }));
    const letters = [...html.matchAll(/<a href="#([^"]+)">/g)].map(([, letter]) => letter);
    expect(letters).toEqual(shown.map(({ letter }) => letter));
    const inUse = await sql<{ slug: string }[]>`
      select distinct cities.slug from businesses as b join cities on cities.id = b.city_id
      where b.status = 'approved'`;
    expect(shown.flatMap(({ towns }) => towns).sort()).toEqual(
      inUse.map(({ slug }) => slug).sort(),
    );
    const under = (letter: string) => shown.find((each) => each.letter === letter)?.towns;
    expect(under("E")?.[0]).toBe("eabury");
    expect(under("L")).toContain("leeds");
    expect(under("Others")).toEqual(["3-mile-cross", "7-kings"]);
  });

  test("of many towns are paginated, and each letter links to its first page", async () => {
    await using large = await startTestServer();
    // L ends the first page, M begins the second, and only Z is on the third.
    await addTowns(large.sql, 999);
    await addBusiness(large.sql, { city: "Zeal" });
    const look = async (path: string) => await (await fetch(large.url + path)).text();
    const pages = await Promise.all([1, 2, 3].map((page) => look(`/cities?page=${page}`)));
    const towns = pages.map((html) =>
      [...html.matchAll(/href="\/cities\/([^"]+)"/g)].map(([, town]) => town),
    );
    expect(towns.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(new Set(towns.flat()).size).toBe(1_001);
    expect(towns.flat()).toEqual(towns.flat().sort());
    for (const html of pages) expect(html).toContain("1,001 towns and cities");
    const letters = (html = "") =>
      [...html.matchAll(/href="((?:\/cities)?(?:\?page=\d)?#[A-Z])"/g)].map(([, link]) => link);
    const [first, second] = pages.map(letters);
    expect(first).toEqual(["#A", "#L", "/cities?page=2#M", "/cities?page=3#Z"]);
    expect(second).toEqual(["/cities#A", "/cities#L", "#M", "/cities?page=3#Z"]);
    expect(pages[1]).toContain('<h2 id="M">');
    for (const part of [
      "<title>Towns and cities, page 2 ",
      "1,001 towns and cities, page 2<",
      `<link rel="canonical" href="${large.config.baseUrl}/cities?page=2"`,
      '<a href="/cities" rel="prev">',
      '<a href="/cities?page=3" rel="next">',
    ]) {
      expect(pages[1]).toContain(part);
    }
    expect((await fetch(`${large.url}/cities?page=4`)).status).toBe(404);

    const category = await look("/categories/plumbers");
    expect([...category.matchAll(/href="\/categories\/plumbers\?city=/g)]).toHaveLength(300);
    expect(category).toContain('For any other, see <a href="/cities">all towns and cities</a>');
  });

  test("of towns have an index of letters if there are two or more", async () => {
    await using small = await startTestServer();
    const lettersWith = async (city: string) => {
      await addBusiness(small.sql, { city });
      const html = await (await fetch(`${small.url}/cities`)).text();
      return [...html.matchAll(/<a href="#([^"]+)">/g)].map(([, letter]) => letter);
    };
    expect(await lettersWith("Leeds")).toEqual([]);
    expect(await lettersWith("York")).toEqual(["L", "Y"]);
  });

  test("end with a friendly 404 past their end and for unknown slugs", async () => {
    for (const path of [
      "/cities?page=2",
      "/cities/leeds?page=999",
      "/cities/atlantis",
      "/cities/%00",
      "/categories/wizards",
      "/categories/plumbers?city=atlantis",
      "/businesses/%zz",
    ]) {
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    }
    expect((await open("/cities/leeds?page=abc")).html).toContain(
      "<p>In the address, “page” must be a whole number from 1 to",
    );
  });

  test("past their end link to their first page", async () => {
    const firstOf = async (path: string) => {
      const { html } = await open(path);
      const href = /href="([^"]*)">Go to the first page of this list/.exec(html)?.[1];
      return href && (await open(path.replace(/\?.*/, href.replaceAll("&amp;", "&")))).status;
    };
    expect(await firstOf("/cities/leeds?page=999")).toBe(200);
    expect(await firstOf("/categories/plumbers?page=999&city=leeds")).toBe(200);
    expect(await firstOf("/search?q=plumber&page=51&city=leeds")).toBe(200);
    expect(await firstOf("/cities/atlantis")).toBeUndefined();
    // While the service is down, the list itself is what to try again.
    expect(String(errorPage(unavailable(), "page=2").body)).not.toContain("the first page");
  });
});
