import { describe, expect, test } from "bun:test";
import { parseOpeningHours } from "../../src/directory/opening-hours.ts";
import { addBusiness } from "../fixtures.ts";
import { slugsIn, startSite } from "./site.ts";

const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\${7*7}</script>`;

const { server, open } = await startSite();
const { sql } = server;
await addBusiness(sql, { slug: "claimed-shop", isClaimed: true, phone: "0113 496 0111" });
await addBusiness(sql, { slug: "unclaimed-shop", phone: "0161 496 0999" });
await addBusiness(sql, { slug: "pending-shop", status: "pending" });
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
await server.searchable("evil-shop");

describe("a business", () => {
  test("shows phone and email only when it is claimed, otherwise the masked phone", async () => {
    const claimed = (await open("/businesses/claimed-shop")).html;
    expect(claimed).toContain("0113 496 0111");
    expect(claimed).toContain("hello@shop.example");
    const unclaimed = (await open("/businesses/unclaimed-shop")).html;
    expect(unclaimed).toContain("0161 496 ****");
    expect(unclaimed).not.toMatch(/496 ?0999/);
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
    const { slug } = await addBusiness(sql, { isVerified: true, isPremium: true });
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
      const { slug } = await addBusiness(sql, { phone, isClaimed: true });
      const { html } = await open(`/businesses/${slug}`);
      expect(html).toContain(`<a href="${link}">${phone}</a>`);
    }
  });

  test("credits the open data that it comes from, and no other", async () => {
    const { id, slug } = await addBusiness(sql);
    const creditOf = async (source: string) => {
      await sql`update businesses set source = ${source}, source_id = 'node/1' where id = ${id}`;
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
    await expect(addBusiness(sql, sly)).rejects.toThrow("businesses_website_check");
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
    await addBusiness(sql, { slug: "own-photo", photos: [photo(ours)] });
    await addBusiness(sql, { slug: "far-photo", photos: [photo(ours), photo(foreign)] });
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
    const { slug } = await addBusiness(sql, {
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
    const bare = await addBusiness(sql, { ...unknown, isClaimed: true });
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
    await addBusiness(sql, {
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
      const { slug } = await addBusiness(sql, { rating, reviewCount });
      const { html } = await open(`/businesses/${slug}`);
      const { aggregateRating } = linkedData(html);
      expect([rating, reviewCount, aggregateRating]).toEqual([rating, reviewCount, said]);
    }
  });

  test("states its opening hours alike on the page and in structured data", async () => {
    const openingHours = parseOpeningHours(
      "Mo 00:00-00:00; Tu 00:00-24:00; We off; Fr 22:00-00:00",
    );
    const { slug } = await addBusiness(sql, { openingHours });
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
