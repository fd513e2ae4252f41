import type { Sql } from "../store/postgres.ts";
import { type ListedBusiness, listedColumns } from "./listed.ts";
import { parseOpeningHours } from "./opening-hours.ts";
import type { CategoryName, OpeningHours, Photo } from "./schemas.ts";
import { isSlug } from "./slug.ts";

/** An approved business with all that is public about it. */
export interface Business extends ListedBusiness {
  description: string;
  categoryName: string;
  categoryParent: CategoryName | null;
  citySlug: string;
  addressLine2: string | null;
  latitude: number;
  longitude: number;
  email: string;
  photos: Photo[];
  openingHours: OpeningHours[];
  updatedAt: Date;
}

/** The approved business of that slug, or null. */
export async function findBusiness(sql: Sql, slug: string): Promise<Business | null> {
  const [business] = await findBusinesses(sql, [slug]);
  return business ?? null;
}

/** The approved business of each slug, or null. */
export async function findBusinesses(
  sql: Sql,
  slugs: readonly string[],
): Promise<(Business | null)[]> {
  const rows = await sql<(Omit<Business, "openingHours"> & { openingHours: string })[]>`
    select ${listedColumns(sql)}, b.description, c.name as "categoryName",
      case when parent.id is not null
        then json_build_object('slug', parent.slug, 'name', parent.name) end as "categoryParent",
      cities.slug as "citySlug", b.address_line2 as "addressLine2", b.latitude, b.longitude, b.email,
      b.photos, b.opening_hours as "openingHours", b.updated_at as "updatedAt"
    from businesses as b
      join categories as c on c.id = b.category_id
      left join categories as parent on parent.id = c.parent_id
      join cities on cities.id = b.city_id
    where b.slug = any(${slugs.filter(isSlug)}::text[]) and b.status = 'approved'`;
  const bySlug = new Map(
    rows.map((row) => [row.slug, { ...row, openingHours: parseOpeningHours(row.openingHours) }]),
  );
  return slugs.map((slug) => bySlug.get(slug) ?? null);
}
