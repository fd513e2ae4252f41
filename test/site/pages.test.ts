import { afterAll, describe, expect, test } from "bun:test";
import { generateBusinesses } from "../../scripts/generate/businesses.ts";
import { until } from "../../scripts/stack/waiting.ts";
import { listCategories } from "../../src/directory/categories.ts";
import { importRecords } from "../../src/directory/import.ts";
import { parseOpeningHours } from "../../src/directory/opening-hours.ts";
import { unavailable } from "../../src/http/errors.ts";
import { errorPage } from "../../src/site/errors.tsx";
import { addBusiness, addTowns, copyBusiness } from "../fixtures.ts";
import { startTestServer } from "../support.ts";

const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\${7*7}</script>`;

const server = await startTestServer();
const { sql } = server;
await importRecords(sql, generateBusinesses({ count: 1_200, seed: 7 }), { source: "sample" });
await addBusiness(sql, { slug: "claimed-shop", isClaimed: true, phone: "0113 496 0111" });
await addBusiness(sql, { slug: "unclaimed-shop", phone: "0161 496 0999" });
await addBusiness(sql, { slug: "pending-shop", status: "pending" });
const hours = { category: "plumbers", city: "Leeds", shortDescription: "Hours: all 24." };
await addBusiness(sql, { slug: "late-shop", ...hours });
await addBusiness(sql, {
  slug: "evil-shop",
  name: `Zorblax ${evil}`,
  shortDescription: evil,
  description: `${evil}\n\n${evil}`,
  addressLine1: evil,
  addressLine2: evil,
  phone: evil,
  email: evil,
  website: `https://x.example/${evil}`,
  isClaimed: true,
  photos: [{ url: `https://x.example/${evil}`, caption: evil, isCover: true }],
});
await sql`insert into cities (slug, name) values ('zorbtown', ${`Zorbtown ${evil}`})`;
await sql`
  update businesses set city_id = (select id from cities where slug = 'zorbtown')
  where slug = 'evil-shop'`;
const key = await server.issueKey();
const bearer = { Authorization: `Bearer ${key}` };
await server.searchable("evil-shop");
await until(async () => (await sql`select from search_changes limit 1`).length === 0, 20_000);
afterAll(() => server.stop());

let visitors = 0;
/** Opens a page as a new visitor. */
async function open(path: string, init: RequestInit = {}) {
  const number = ++visitors;
  const address = `10.9.${number >> 8}.${number & 255}`;
  const response = await fetch(server.url + path, {
    redirect: "manual",
    ...init,
    headers: { Accept: "text/html", "X-Forwarded-For": address, ...init.headers },
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

const slugsIn = (html: string) =>
  [...html.matchAll(/<h2><a href="\/businesses\/([^"]+)"/g)].map(([, slug]) => slug);

describe("search", () => {
  test("shows the same results as the API's search, in the same order, for 100 queries from the data", async () => {
    const questions = await server.sql<{ text: string }[]>`
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

describe("a business", () => {
  test("shows phone and email only when it is claimed, otherwise the masked phone", async () => {
    const claimed = (await open("/businesses/claimed-shop")).html;
    expect(claimed).toContain("0113 496 0111");
    expect(claimed).toContain("hello@shop.example");
    const unclaimed = (await open("/businesses/unclaimed-shop")).html;
    expect(unclaimed).toContain("0161 496 ****");
    expect(unclaimed).not.toContain("0999");
    expect(unclaimed).not.toContain("hello@shop.example");
    expect(unclaimed).not.toContain("telephone");
  });

  test("links to its website with nofollow and without a referrer", async () => {
    const { html } = await open("/businesses/claimed-shop");
    expect(html).toMatch(
      /<a [^>]*href="https:\/\/shop\.example\/" rel="nofollow noopener noreferrer ugc">/,
    );
  });

  test("is readable without styles: no word runs into the next", async () => {
    const { slug } = await addBusiness(server.sql, { isVerified: true, isPremium: true });
    const text = async (path: string) =>
      (await open(path)).html.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
    const business = await text(`/businesses/${slug}`);
    expect(business).toContain("10 reviews Verified Featured");
    expect(business).toContain("Website Map on OpenStreetMap");
    const developers = await text("/developers");
    expect(developers).toContain("Get a free key API reference");
    expect(developers).toContain("Run it here Open the response");
  });

  test("dials its number with the country code, and without appending the extension", async () => {
    for (const [phone, link] of [
      ["0113 496 0111", "tel:+441134960111"],
      ["0113 496 0111 x12", "tel:+441134960111;ext=12"],
      ["+44 (0)113 496 0111", "tel:+441134960111"],
      ["0044(0)113 496 0111 x12", "tel:00441134960111;ext=12"],
      ["+353 1 496 0111", "tel:+35314960111"],
      ["00 353 1 496 0111", "tel:0035314960111"],
      ["116 123", "tel:116123"],
    ] as const) {
      const { slug } = await addBusiness(server.sql, { phone, isClaimed: true });
      const { html } = await open(`/businesses/${slug}`);
      expect(html).toContain(`<a href="${link}">${phone}</a>`);
    }
  });

  test("credits the open data that it comes from, and no other", async () => {
    const { id, slug } = await addBusiness(server.sql);
    const creditOf = async (source: string) => {
      await server.sql`update businesses set source = ${source}, source_id = 'node/1' where id = ${id}`;
      const { html } = await open(`/businesses/${slug}`);
      return /<p class="small">Source: .*?<\/p>/.exec(html)?.[0];
    };
    const osm = await creditOf("osm");
    expect(osm).toContain("© OpenStreetMap contributors");
    expect(osm).toContain('href="https://www.openstreetmap.org/copyright"');
    expect(await creditOf("fhrs")).toContain("Food Standards Agency");
    expect(await creditOf("nhs-pharmacies")).toContain("NHS, <a");
    for (const other of ["a-list-of-ours", "constructor"]) {
      expect(await creditOf(other)).toBeUndefined();
    }
  });

  test("and every list with it credit its open data, once per source", async () => {
    const { sql } = server;
    const shops = ["osm", "osm", "fhrs", "a-list-of-ours"].map(async (source, number) => {
      const slug = `credited-${number}`;
      await addBusiness(sql, { slug, name: `Qwyxle ${number}`, city: "Creditown" });
      await sql`update businesses set source = ${source}, source_id = ${slug} where slug = ${slug}`;
      await server.searchable(slug);
    });
    await Promise.all(shops);
    const creditOn = async (path: string) => {
      const { html } = await open(path);
      return html.match(/<p class="small">Sources?: .*?<\/p>/g)?.map(textOf) ?? [];
    };
    const both =
      "Sources: © OpenStreetMap contributors, Open Database Licence; Food Standards Agency, Open Government Licence v3.0";
    for (const path of [
      "/cities/creditown",
      "/categories/plumbers?city=creditown",
      "/search?q=qwyxle",
    ]) {
      expect([path, await creditOn(path)]).toEqual([path, [both]]);
    }
    await sql`update businesses set status = 'suspended' where slug = 'credited-2'`;
    expect(await creditOn("/cities/creditown")).toEqual([
      "Source: © OpenStreetMap contributors, Open Database Licence",
    ]);
    expect(await creditOn("/cities/leeds")).toEqual([]);
  });

  test("in an inactive category names it without a link, and is not listed under it", async () => {
    const { sql } = server;
    const roots = await sql<{ slug: string; name: string }[]>`
      select slug, name from categories where parent_id is null limit 1`;
    const parent = roots[0]?.slug ?? "";
    await sql`
      insert into categories (slug, name, parent_id)
      select 'whatnots', 'Whatnots & so on', id from categories where slug = ${parent}`;
    await addBusiness(sql, { slug: "odd-shop", category: "whatnots", city: "Odd Town" });
    const setActive = (slug: string, isActive: boolean) =>
      sql`update categories set is_active = ${isActive} where slug = ${slug}`;
    const seen = async () => {
      const [page, list] = await Promise.all([
        open("/businesses/odd-shop"),
        open("/cities/odd-town"),
      ]);
      const links = [...page.html.matchAll(/href="(\/categories\/[^"?]+)/g)].map(
        ([, href]) => href,
      );
      const statuses = await Promise.all(links.map(async (href) => (await open(`${href}`)).status));
      expect(statuses).toEqual(links.map(() => 200));
      expect(page.html).toContain("Whatnots &amp; so on");
      expect(list.html).toContain("/businesses/odd-shop");
      const where = /<p class="where">(.*?)<\/p>/s.exec(list.html)?.[1]?.replace("\u00a0", " ");
      return { links, where };
    };
    const address = "<bdi>1 Briggate</bdi>, Odd Town LS1 6HD";
    const named = `Whatnots &amp; so on · ${address}`;
    const both = [`/categories/${parent}`, "/categories/whatnots"];
    expect(await seen()).toEqual({ links: both, where: named });
    await setActive("whatnots", false);
    expect(await seen()).toEqual({ links: both.slice(0, 1), where: address });
    await setActive("whatnots", true);
    await setActive(parent, false);
    expect(await seen()).toEqual({ links: [], where: address });
    await setActive(parent, true);
    expect(await seen()).toEqual({ links: both, where: named });
  });

  test("cannot have a script as its website", async () => {
    const sly = { slug: "sly-shop", website: "javascript:alert(1)" };
    await expect(addBusiness(server.sql, sly)).rejects.toThrow("businesses_website_check");
  });

  test("is a 404 while it is not approved", async () => {
    const pending = await open("/businesses/pending-shop");
    expect(pending.status).toBe(404);
    expect(pending.html).toContain("Page not found");
  });

  test("shows photos on request only, also those on our own host, which might be requests to the API", async () => {
    const ours = `${server.config.baseUrl}/api/v1/businesses?page=1`;
    const foreign = "https://images.example/1.jpg";
    const photo = (url: string) => ({ url, caption: "", isCover: false });
    await addBusiness(server.sql, { slug: "own-photo", photos: [photo(ours)] });
    await addBusiness(server.sql, { slug: "far-photo", photos: [photo(ours), photo(foreign)] });
    const policyOf = ({ headers }: { headers: Headers }) =>
      /img-src ([^;]*);/.exec(headers.get("Content-Security-Policy") ?? "")?.[1];

    const own = await open("/businesses/own-photo");
    expect(own.html).not.toContain(`<img src="${ours}"`);
    expect(own.html).toContain(`<strong>${new URL(ours).host}</strong>`);
    expect(policyOf(own)).toBe("'self'");
    const far = await open("/businesses/far-photo");
    expect(far.html).not.toContain(`<img src="${foreign}"`);
    expect(far.html).toContain(`<strong>${new URL(ours).host}, images.example</strong>`);
    expect(policyOf(far)).toBe("'self'");
    const asked = await open("/businesses/far-photo?photos=show");
    expect(asked.html).toMatch(
      /<img src="https:\/\/images.example\/1.jpg"[^>]* loading="lazy" referrerpolicy="no-referrer"/,
    );
    expect(policyOf(asked)).toBe("'self' https: http:");
  });

  test("names its canonical address, also for previews of links", async () => {
    const { html } = await open("/businesses/claimed-shop");
    const { baseUrl } = server.config;
    expect(html).toContain(`<link rel="canonical" href="${baseUrl}/businesses/claimed-shop"/>`);
    expect(html).toContain(
      `<meta property="og:url" content="${baseUrl}/businesses/claimed-shop"/>`,
    );
  });

  test("has everything that it shows in its structured data, and nothing that is unknown", async () => {
    const { slug } = await addBusiness(server.sql, {
      name: "Aire Plumbing",
      addressLine2: "Kirkgate",
      isClaimed: true,
      photos: [{ url: "https://images.example/1.jpg", caption: "The van", isCover: true }],
      openingHours: parseOpeningHours("Sa 09:00-17:00"),
    });
    const url = `${server.config.baseUrl}/businesses/${slug}`;
    expect(linkedData((await open(`/businesses/${slug}`)).html)).toEqual({
      "@context": "https://schema.org",
      "@type": "LocalBusiness",
      "@id": url,
      url,
      name: "Aire Plumbing",
      description: "A shop that is here for tests, and for nothing else.",
      telephone: "+44 113 496 0123",
      email: "hello@shop.example",
      sameAs: "https://shop.example/",
      image: ["https://images.example/1.jpg"],
      address: {
        "@type": "PostalAddress",
        streetAddress: "1 Briggate, Kirkgate",
        addressLocality: "Leeds",
        postalCode: "LS1 6HD",
        addressCountry: "GB",
      },
      geo: { "@type": "GeoCoordinates", latitude: 53.7974, longitude: -1.5438 },
      aggregateRating: { "@type": "AggregateRating", ratingValue: 4.5, reviewCount: 10 },
      openingHoursSpecification: [
        {
          "@type": "OpeningHoursSpecification",
          dayOfWeek: "https://schema.org/Saturday",
          opens: "09:00",
          closes: "17:00",
        },
      ],
    });

    const unknown = { description: "", phone: "", email: "", website: "" };
    const bare = await addBusiness(server.sql, { ...unknown, isClaimed: true });
    const said = linkedData((await open(`/businesses/${bare.slug}`)).html);
    expect(said).toMatchObject({
      description: "A shop for tests.",
      address: { streetAddress: "1 Briggate" },
    });
    const names = ["telephone", "email", "sameAs", "image"];
    expect(names.filter((name) => name in said)).toEqual([]);
  });

  test("is distinguished from other branches by its postcode, and by its address when it has no description", async () => {
    const branch = { name: "Boots", category: "pharmacies", shortDescription: "" };
    await addBusiness(server.sql, {
      ...branch,
      slug: "chain-one",
      addressLine2: "Kirkgate",
      postcode: "LS2 7DJ",
    });
    const { html } = await open("/businesses/chain-one");
    expect(html).toContain("<title>Boots, Leeds LS2 7DJ · Highstreet</title>");
    expect(html).toContain(
      '<meta name="description" content="Chemists and pharmacies in Leeds: 1 Briggate, Kirkgate, LS2 7DJ."/>',
    );
  });

  test("has a rating in its structured data only if it has reviews", async () => {
    for (const [rating, reviewCount, said] of [
      [4.5, 12, { "@type": "AggregateRating", ratingValue: 4.5, reviewCount: 12 }],
      [4.5, 0, undefined],
      [0, 0, undefined],
      [0, 3, undefined],
    ] as const) {
      const { slug } = await addBusiness(server.sql, { rating, reviewCount });
      const { html } = await open(`/businesses/${slug}`);
      const { aggregateRating } = linkedData(html);
      expect([rating, reviewCount, aggregateRating]).toEqual([rating, reviewCount, said]);
    }
  });

  test("states its opening hours alike on the page and in structured data", async () => {
    const openingHours = parseOpeningHours(
      "Mo 00:00-00:00; Tu 00:00-24:00; We off; Fr 22:00-00:00",
    );
    const { slug } = await addBusiness(server.sql, { openingHours });
    const { html } = await open(`/businesses/${slug}`);
    const said = [...html.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
      /<td>(.*?)<\/td>/.exec(row)?.at(1)?.replace(/<.*?>/g, ""),
    );
    expect(said.slice(0, 5)).toEqual([
      "open 24 hours",
      "open 24 hours",
      "closed",
      "not known",
      "22:00 to midnight",
    ]);
    const { openingHoursSpecification } = linkedData(html);
    expect(
      openingHoursSpecification.map(({ opens, closes }: Record<string, string>) => [opens, closes]),
    ).toEqual([
      ["00:00", "23:59"],
      ["00:00", "23:59"],
      ["00:00", "00:00"],
      ["22:00", "00:00"],
    ]);
  });

  test("with an attack in every field is shown as plain text", async () => {
    const zorb = encodeURIComponent("zorblax");
    const [own, found] = await Promise.all([
      open("/businesses/evil-shop"),
      open(`/search?q=${zorb}&city=${encodeURIComponent(evil)}`),
    ]);
    for (const { html } of [own, found, await open(`/search?q=${zorb}`)]) {
      expect(html).not.toContain("<script>alert");
      expect(html).not.toContain("<img src=x");
      expect(html.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
    expect(linkedData(own.html)).toMatchObject({ name: `Zorblax ${evil}`, email: evil });
    expect(slugsIn((await open(`/search?q=${zorb}`)).html)).toEqual(["evil-shop"]);
  });
});

const textOf = (html: string) => html.replace(/<[^>]*>/g, "");

const linkedData = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? "null");

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
    const inUse = await server.sql<{ slug: string }[]>`
      select distinct c.slug from businesses as b
        join cities on cities.id = b.city_id join categories as c on c.id = b.category_id
      where cities.slug = 'london' and b.status = 'approved'`;
    expect(linked.map(([, slug]) => slug).sort()).toEqual(inUse.map(({ slug }) => slug).sort());
    expect(inUse.length).toBeGreaterThan(12);
  });

  test("of a category link to it in each town with such businesses, by name", async () => {
    const { html } = await open("/categories/pubs");
    const linked = [...html.matchAll(/href="\/categories\/pubs\?city=[^"]+">(.*?)<\/a>/g)];
    const inUse = await server.sql<{ name: string }[]>`
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
    const children = await server.sql<{ slug: string; isUsed: boolean }[]>`
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
    const branches = await server.sql<{ slug: string }[]>`
      select slug from categories as c where exists (select from categories where parent_id = c.id)`;
    expect(linked.length).toBe(12);
    expect(linked.filter((slug) => branches.some((branch) => branch.slug === slug))).toEqual([]);
  });

  test("of towns have every town with businesses under its letter", async () => {
    await addBusiness(server.sql, { city: "Eabury" });
    await server.sql`update cities set name = 'Éabury' where slug = 'eabury'`;
    await addBusiness(server.sql, { city: "Ezeron", status: "pending" });
    for (const city of ["3 Mile Cross", "7 Kings"]) await addBusiness(server.sql, { city });
    expect((await open("/")).html).toContain('<a href="/cities">All towns and cities</a>');
    const { html } = await open("/cities");
    const sections = [...html.matchAll(/<h2 id="([^"]+)">.*?<\/section>/gs)];
    const shown = sections.map(([section, letter]) => ({
      letter,
      towns: [...section.matchAll(/href="\/cities\/([^"]+)"/g)].map(([, town]) => town),
    }));
    const letters = [...html.matchAll(/<a href="#([^"]+)">/g)].map(([, letter]) => letter);
    expect(letters).toEqual(shown.map(({ letter }) => letter));
    const inUse = await server.sql<{ slug: string }[]>`
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
      ...["/", "/search?q=zorb", "/businesses/claimed-shop", "/categories/plumbers", "/cities"],
      ...[
        "/cities/zorbtown",
        "/cities/?page=1",
        "/developers",
        "/developers/reference",
        "/nothing",
      ],
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
    const approved = await server.sql<{ slug: string }[]>`
      select slug from businesses where status = 'approved'`;
    expect(locations(businesses?.html ?? "").sort()).toEqual(
      approved.map(({ slug }) => `/businesses/${slug}`).sort(),
    );
    const [late] = await server.sql<[{ updatedAt: Date }]>`
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
    const { sql } = server;
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

/** Links to the page itself. */
const TRY_AGAIN = '<a class="button" href>Try this page again</a>';
