import type { ListedBusiness } from "../../../src/directory/listed.ts";
import { keyedListItem } from "../../../src/directory/shapes.ts";
import { openPostgres } from "../../../src/store/postgres.ts";

/**
 * Baseline: `Bun.serve` answering a list request with one indexed query and nothing else: no limits,
 * no total, no ETag. Argument: the port.
 */

const sql = openPostgres(process.env.DATABASE_URL ?? "");
const PER_PAGE = 20;

Bun.serve({
  port: Number(process.argv[2]),
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    const [city, category] = [searchParams.get("city"), searchParams.get("category")];
    const page = Number(searchParams.get("page") ?? 1);
    const businesses = await sql<ListedBusiness[]>`
      select b.slug, b.name, b.short_description as "shortDescription", c.slug as "categorySlug",
        cities.name as "cityName", b.postcode, b.rating::float8 as rating,
        b.review_count as "reviewCount", b.is_verified as "isVerified", b.is_premium as "isPremium"
      from (
        select list_rank, business_id from listings
        where category_id = ${category ? sql`(select id from categories where slug = ${category})` : sql`0`}
          ${city ? sql`and city_id = (select id from cities where slug = ${city})` : sql``}
        order by list_rank, business_id
        limit ${PER_PAGE} offset ${(page - 1) * PER_PAGE}
      ) as page
        join businesses as b on b.id = page.business_id
        join categories as c on c.id = b.category_id
        join cities on cities.id = b.city_id
      order by page.list_rank, page.business_id`;
    return Response.json({ data: businesses.map(keyedListItem) });
  },
});
