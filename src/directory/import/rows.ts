import { copyIn } from "../../store/copy.ts";
import type { Sql, Transaction } from "../../store/postgres.ts";
import type { Photo } from "../schemas.ts";
import type { BusinessStatus } from "../status.ts";

/** The columns of a business that an import sets. */
export interface BusinessFields {
  status: BusinessStatus;
  /** Whether an import that completes it approves it; false when it is pending review. */
  approve_when_complete: boolean;
  /**
   * Whether it is pending because a record removed what it needs: then any import that completes it approves
   * it.
   */
  was_approved: boolean;
  name: string;
  category_id: number | null;
  city_id: number | null;
  short_description: string;
  description: string;
  address_line1: string;
  address_line2: string | null;
  postcode: string;
  latitude: number | null;
  longitude: number | null;
  phone: string;
  email: string;
  website: string;
  rating: number;
  review_count: number;
  is_claimed: boolean;
  is_verified: boolean;
  is_premium: boolean;
  photos: Photo[];
  /** As text, see opening-hours.ts. */
  opening_hours: string;
}

export interface NewBusiness extends BusinessFields {
  slug: string;
  source: string;
  source_id: string;
}

export interface StoredBusiness extends BusinessFields {
  id: string;
  source_id: string;
  /** The time of its last change as text, to the microsecond: identifies a version. */
  updated_at: string;
}

/** A business about which nothing is known yet. */
export const emptyBusiness: BusinessFields = {
  name: "",
  status: "pending",
  approve_when_complete: true,
  was_approved: false,
  category_id: null,
  city_id: null,
  short_description: "",
  description: "",
  address_line1: "",
  address_line2: null,
  postcode: "",
  latitude: null,
  longitude: null,
  phone: "",
  email: "",
  website: "",
  rating: 0,
  review_count: 0,
  is_claimed: false,
  is_verified: false,
  is_premium: false,
  photos: [],
  opening_hours: "",
};

const columns = Object.keys(emptyBusiness) as (keyof BusinessFields)[];
const newColumns: (keyof NewBusiness)[] = ["slug", "source", "source_id", ...columns];

/** Whether a business has what the database requires of an approved one. */
export function isComplete(business: BusinessFields): boolean {
  return (
    business.category_id !== null &&
    business.city_id !== null &&
    business.address_line1 !== "" &&
    business.postcode !== "" &&
    business.latitude !== null
  );
}

/** Whether an import would leave everything as it is. */
export function isSame(a: BusinessFields, b: BusinessFields): boolean {
  return columns.every((column) => Bun.deepEquals(a[column], b[column], true));
}

/** How much to hold in memory, or send as one parameter, which PostgreSQL takes only up to 1 GB. */
export const MANY_CHARACTERS = 32_000_000;

/** Of the fields that may be long: within their limits 10,000 businesses may have several GB of them. */
export function charactersOf({ description = "", photos = [] }: Partial<BusinessFields>): number {
  return photos.reduce(
    (sum, { url, caption }) => sum + url.length + caption.length,
    description.length,
  );
}

/** The stored businesses of a source, by source id. */
export async function readStored(
  sql: Sql | Transaction,
  source: string,
  sourceIds: readonly string[],
): Promise<Map<string, StoredBusiness>> {
  // All but the rating: the driver reads its type, numeric, as text.
  const asTheyAre = columns.filter((column) => column !== "rating");
  const rows = await sql<StoredBusiness[]>`
    select id, source_id, updated_at::text as updated_at, rating::float8 as rating, ${sql(asTheyAre)}
    from businesses
    where source = ${source} and source_id = any(${sourceIds}::text[])`;
  return new Map(rows.map((row) => [row.source_id, row]));
}

/**
 * Settings for a transaction that changes many businesses: keep the rows of a statement in memory for its
 * triggers, and plan for tables as they are now. A cached plan from when they were empty would scan all of
 * them.
 */
export async function expectManyRows(transaction: Transaction): Promise<void> {
  await transaction`
    select set_config('work_mem', '64MB', true),
      set_config('plan_cache_mode', 'force_custom_plan', true)`;
}

/** Creates businesses, all of them or none. The iterable is read as they are sent. */
export async function insertBusinesses(
  transaction: Transaction,
  businesses: Iterable<NewBusiness>,
): Promise<void> {
  const rows = Iterator.from(businesses).map((business) =>
    newColumns.map((column) => business[column]),
  );
  await copyIn(transaction`copy businesses (${transaction(newColumns)}) from stdin`, rows);
}

/**
 * Updates those that nobody has changed since they were read.
 * @returns the ids of those updated
 */
export async function updateBusinesses(
  transaction: Transaction,
  businesses: readonly StoredBusiness[],
): Promise<Set<string>> {
  if (businesses.length === 0) return new Set();
  const characters = businesses.reduce((sum, business) => sum + charactersOf(business), 0);
  if (characters > MANY_CHARACTERS && businesses.length > 1) {
    const middle = Math.floor(businesses.length / 2);
    const updated = await updateBusinesses(transaction, businesses.slice(0, middle));
    return updated.union(await updateBusinesses(transaction, businesses.slice(middle)));
  }
  const rows = await transaction<{ id: string }[]>`
    update businesses as b
    set (${transaction(columns)}) = row(${transaction(columns.map((column) => `given.${column}`))})
    from json_populate_recordset(null::businesses, ${JSON.stringify(businesses)}::text::json) as given
    where b.id = given.id and b.updated_at = given.updated_at
    returning b.id`;
  return new Set(rows.map(({ id }) => id));
}
