import { describe, expect, test } from "bun:test";
import { until } from "../../scripts/stack/waiting.ts";
import { addBusiness, copyBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";
import { slugsIn, startSite } from "./site.ts";

const { server, open, indexed } = await startSite();
const { sql } = server;
await addBusiness(sql, { slug: "unclaimed-shop", phone: "0161 496 0999" });
await addBusiness(sql, { slug: "late-shop", shortDescription: "Hours: all 24." });
await indexed();
const key = await server.issueKey();
const bearer = { Authorization: `Bearer ${key}` };

describe("search", () => {
  test("shows the same results as the API's search, in the same order, for 100 queries from the data", async () => {
    const questions = await sql<{ text: string }[]>`
      select case (row_number() over (order by b.id)) % 5
          when 0 then b.name
          when 1 then c.name
          when 2 then split_part(b.name, ' ', 1) || ' ' || cities.name
          when 3 then overlay(c.name placing 'x' from 4 for 1)
          else c.name || ' in ' || cities.name end as text
      from businesses as b join categories as c on c.id = b.category_id
        join cities on cities.id = b.city_id
      where b.source = 'sample' and b.status = 'approved' order by b.id limit 100`;
    expect(questions.length).toBe(100);
    let found = 0;
    for (const { text } of questions) {
      const q = encodeURIComponent(text);
      const [api, first, second] = await Promise.all([
        fetch(`${server.url}/api/v1/search?q=${q}&limit=40`, { headers: bearer }),
        open(`/search?q=${q}`),
        open(`/search?q=${q}&page=2`),
      ]);
      const { data } = (await api.json()) as { data: { slug: string }[] };
      expect([text, ...slugsIn(first.html), ...slugsIn(second.html)]).toEqual([
        text,
        ...data.map(({ slug }) => slug),
      ]);
      found += data.length;
    }
    expect(found).toBeGreaterThan(500); // or it would be easy
  }, 60_000);

  test("filters by town, however spelt, and by category, and marks the words", async () => {
    const { html } = await open("/search?q=plumers&city=LEEDS&category=plumbers");
    expect(slugsIn(html)).toContain("unclaimed-shop");
    expect(html).toContain("<mark>Plumbers</mark>");
    expect(html).toContain('value="Leeds"');
    expect(html).toMatch(/<option[^>]*selected[^>]*>Plumbers/);
  });

  test("offers each branch as a whole first, then its leaves", async () => {
    const { html } = await open("/search");
    const groups = [...html.matchAll(/<optgroup label="(.*?)">(.*?)<\/optgroup>/gs)];
    const firsts = groups.map(
      ([, , options]) => /<option[^>]*>(.*?)<\/option>/.exec(`${options}`)?.[1],
    );
    expect(firsts).toEqual(groups.map(([, branch]) => `${branch} (all)`));
    const all = [...html.matchAll(/<option value="([^"]+)"/g)].map(([, slug]) => slug);
    expect(all.length).toBeGreaterThan(groups.length);
    expect(new Set(all).size).toBe(all.length);
  });

  for (const [typed, slug, name] of [
    ["Hull", "kingston-upon-hull", "Kingston upon Hull"],
    ["upon hull", "kingston-upon-hull", "Kingston upon Hull"],
    ["Saint Albans", "st-albans", "St Albans"],
  ] as const) {
    test(`reads the town “${typed}” as the only one with such a name, and says so`, async () => {
      const { html } = await open(`/search?q=plumber&city=${encodeURIComponent(typed)}`);
      const named = await open(`/search?q=plumber&city=${slug}`);
      expect(slugsIn(html)).toEqual(slugsIn(named.html));
      expect(html).toContain(`“${typed}” was taken to mean ${name},`);
      expect(html).toContain(`value="${name}"`);
      expect(html).not.toContain("aria-invalid");
      expect(named.html).not.toContain("was taken to mean");
    });
  }

  for (const [typed, meant] of [
    ["Kingston on Hull", "kingston-upon-hull"],
    ["Bristoll", "bristol"],
    ["Bristlo", "bristol"],
    ["Baht", null],
  ] as const) {
    test(`suggests ${meant ?? "no town"} for the town “${typed}”`, async () => {
      const { html } = await open(`/search?q=plumber&city=${encodeURIComponent(typed)}`);
      expect(html).toContain('aria-invalid="true"');
      const [, notice = ""] = /id="unknown-town">(.*?)<\/p>/s.exec(html) ?? [];
      const suggested = [...notice.matchAll(/<a href="\/search\?q=plumber&amp;city=([^"&]*)"/g)];
      expect(suggested.map(([, slug]) => slug)).toEqual(meant ? [meant] : []);
    });
  }

  for (const typed of ["London SE1", "leeds, uk", "Nowhereville"]) {
    test(`searches for “${typed}” as words, since it is not a town, and says so`, async () => {
      const { html } = await open(`/search?q=plumber&city=${encodeURIComponent(typed)}`);
      const inWords = await open(`/search?q=${encodeURIComponent(`plumber ${typed}`)}`);
      expect(slugsIn(html).length).toBeGreaterThan(0);
      expect(slugsIn(html)).toEqual(slugsIn(inWords.html));
      expect(html).toContain(`There is no town called “${typed}” in the directory, so it was`);
      expect(html).toContain(`value="${typed}"`);
    });
  }

  for (const typed of ["LS1", "ls1 4ab", "LS 1", "LS1 4"]) {
    test(`accepts the postcode “${typed}” in place of a town`, async () => {
      const { html } = await open(`/search?q=plumber&city=${encodeURIComponent(typed)}`);
      const inWords = await open(`/search?q=${encodeURIComponent(`plumber ${typed}`)}`);
      expect(slugsIn(html).length).toBeGreaterThan(0);
      expect(slugsIn(html)).toEqual(slugsIn(inWords.html));
      expect(html).toContain(`<h1>Results for “plumber” in ${typed.toUpperCase()}</h1>`);
      expect(html).toContain(`value="${typed}"`);
      expect(html).not.toContain("There is no town");
      expect(html).not.toContain("aria-invalid");
    });
  }

  test("keeps what was typed as a town on the next page, and says which words it searched for", async () => {
    const { html } = await open("/search?q=plumber&city=Nowhereville");
    expect(html).toContain("for “plumber”, as none matches all your words");
    const [, next = ""] = /<a href="([^"]*)" rel="next"/.exec(html) ?? [];
    expect(next).toBe("/search?q=plumber&amp;city=Nowhereville&amp;page=2");
    const second = await open(next.replaceAll("&amp;", "&"));
    expect(slugsIn(second.html)).toEqual(slugsIn((await open("/search?q=plumber&page=2")).html));
  });

  test("says which words it searched for when nothing matches them all", async () => {
    const { html } = await open("/search?q=emergency+plumber+leeds");
    expect(html).toContain("for “plumber leeds”, as none matches all your words");
    const typed = await open(`/search?q=${encodeURIComponent("emergency Plumber’s, LEEDS")}`);
    expect(typed.html).toContain("for “Plumber’s LEEDS”, as none matches all your words");
    const inPieces = await open(`/search?q=${encodeURIComponent("emergency B & B")}`);
    expect(inPieces.html).toContain("for “B &amp; B”, as none matches all your words");
    expect((await open("/search?q=plumber+leeds")).html).not.toContain("as none matches");
    const narrowed = await open("/search?q=emergency+plumber&city=leeds&category=plumbers");
    expect(narrowed.html).toContain("as none of this category in Leeds matches all your words");
    expect(narrowed.html).toContain("<h1>Results for “emergency plumber” in Leeds</h1>");
  });

  test("marks only the words that it searched for", async () => {
    const marked = async (q: string) => {
      const { html } = await open(`/search?q=${encodeURIComponent(q)}&city=leeds`);
      const [, card = ""] = html.split('href="/businesses/late-shop"');
      return [...(card.split("</li>")[0]?.matchAll(/<mark>(.*?)<\/mark>/g) ?? [])].map(
        ([, word]) => word,
      );
    };
    expect(await marked("plumber 24 hour")).toEqual(["Plumbers", "Hours", "24"]);
    expect(await marked("zebra plumber 24 hour leeds")).toEqual(["Plumbers", "Leeds"]);
  });

  test("says that it does not know the visitor's location when no place is named", async () => {
    const asks = async (query: string) =>
      (await open(`/search?${query}`)).html.includes("does not know where you are");
    for (const query of [
      "q=chippy+near+me",
      "q=Nearby+chippy",
      "q=near+me&city=nowhereville",
      "q=nearest+chippy",
      "q=where+is+the+closest+chippy",
      "q=chippies+around+here",
      "q=chippies+in+my+area",
      "q=chippy+close+to+me",
    ]) {
      expect([query, await asks(query)]).toEqual([query, true]);
    }
    for (const query of [
      "q=chippy",
      "q=nearbys",
      "q=around+the+world",
      "q=nearest+chippy+to+leeds",
      "q=chippy+near+me+leeds",
      "q=chippy+near+ls1+nearby",
      "q=chippy+near+leeds",
      "q=chippy+near+me&city=leeds",
      "q=chippy+near+me&city=hull",
      "q=chippy+near+me&city=ls1",
    ]) {
      expect([query, await asks(query)]).toEqual([query, false]);
    }
  });

  test("redirects to the list of a town or a category when there are no words", async () => {
    for (const [query, list] of [
      ["q=&city=Leeds&category=", "/cities/leeds"],
      ["q=&city=&category=plumbers", "/categories/plumbers"],
      ["q=&city=leeds&category=plumbers", "/categories/plumbers?city=leeds"],
      ["q=&city=leeds&category=/%2Fx", "/categories/%2F%2Fx?city=leeds"],
    ]) {
      const response = await fetch(`${server.url}/search?${query}`, { redirect: "manual" });
      expect([response.status, response.headers.get("Location")]).toEqual([303, list as string]);
    }
  });

  test("searches for an unknown town also when there are no other words", async () => {
    const { status, html } = await open("/search?q=&city=Atlantis&category=plumbers");
    expect([status, html]).toEqual([200, expect.stringContaining("no town called “Atlantis”")]);
    expect(html).toMatch(/No businesses found\.[^<]*<a href="\/"/);
    const district = await open("/search?q=&city=ls1");
    expect(district.html).toContain("<title>Businesses in LS1 · Highstreet</title>");
    expect(district.html).toContain("<h1>Businesses in LS1</h1>");
    expect(slugsIn(district.html).length).toBeGreaterThan(0);
    expect(slugsIn(district.html)).toEqual(slugsIn((await open("/search?q=ls1")).html));
  });

  test("has the number of the results page in its title", async () => {
    const titleOf = ({ html }: { html: string }) => /<title>(.*?)<\/title>/.exec(html)?.[1];
    expect(titleOf(await open("/search?q=plumber"))).toBe("plumber: search · Highstreet");
    expect(titleOf(await open("/search?q=plumber&page=2"))).toBe(
      "plumber: search, page 2 · Highstreet",
    );
  });

  test("past its last page is a 404 that keeps what was typed", async () => {
    const past = await open("/search?q=plumber+leeds&page=40");
    expect(past.status).toBe(404);
    expect(past.html).toContain('value="plumber leeds"');
    expect((await open("/search?q=plumber&page=51")).status).toBe(404);
    const { html } = await open("/search?q=plumber");
    const total = Number(/(\d+) business/.exec(html)?.[1]);
    const pages = Math.ceil(total / 20);
    const last = await open(`/search?q=plumber&page=${pages}`);
    const linked = [...last.html.matchAll(/[?&;]page=(\d+)"/g)].map(([, page]) => Number(page));
    expect([last.status, Math.max(...linked)]).toEqual([200, pages]);
    expect((await open(`/search?q=plumber&page=${pages + 1}`)).status).toBe(404);
  });

  test("does not search for a page after the fiftieth", async () => {
    await using away = await startTestServer({ meiliUrl: "http://127.0.0.1:9" });
    const statusOf = async (page: number) =>
      (await fetch(`${away.url}/search?q=plumber&page=${page}`)).status;
    expect(await statusOf(50)).toBe(503);
    expect(await statusOf(51)).toBe(404);
  });

  test("shows the first 1,000 results on fifty pages, and says so on the last", async () => {
    await using large = await startTestServer();
    const { id } = await addBusiness(large.sql, { name: "zephyr 0" });
    await copyBusiness(large.sql, id, "zephyr", 1_024);
    const index = large.meili.index(large.searchIndex);
    const indexed = async () => (await index.getStats().catch(() => null))?.numberOfDocuments;
    await until(async () => (await indexed()) === 1_025, 20_000);
    const look = async (page: number) => {
      const address = `${large.url}/search?q=zephyr&page=${page}`;
      const response = await fetch(address, { headers: { Accept: "text/html" } });
      const html = await response.text();
      const isLast = !html.includes('rel="next"');
      const says = html.includes("These are the first 1,000 results.");
      return { status: response.status, shown: slugsIn(html).length, isLast, says };
    };
    expect(await look(49)).toEqual({ status: 200, shown: 20, isLast: false, says: false });
    expect(await look(50)).toEqual({ status: 200, shown: 20, isLast: true, says: true });
    expect(await look(51)).toMatchObject({ status: 404, shown: 0 });
  });

  test("asks for words when there are none, and says when nothing is found", async () => {
    const { html } = await open("/search");
    expect(html).toContain('name="q"');
    expect(html).toContain('<a href="/">browse towns and categories</a>');
    expect((await open("/search?q=")).status).toBe(200);
    expect((await open("/search?q=xqzvkwjy")).html).toContain("No businesses found");
  });

  test("when nothing is found, suggests all towns and categories, or browsing them", async () => {
    const wayOn = async (query: string) => {
      const { html } = await open(`/search?${query}`);
      return /No businesses found\.[^<]*<a href="([^"]*)"/.exec(html)?.[1];
    };
    expect(await wayOn("q=xqzvkwjy&city=leeds")).toBe("/search?q=xqzvkwjy");
    expect(await wayOn("q=xqzvkwjy&category=pubs")).toBe("/search?q=xqzvkwjy");
    expect(await wayOn("q=xqzvkwjy")).toBe("/");
  });
});
