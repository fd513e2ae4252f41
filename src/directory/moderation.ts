import type { Fragment } from "postgres";
import type { Sql, Transaction } from "../store/postgres.ts";
import type { BusinessStatus } from "./status.ts";

/** What an operator may do with a business: the column that it sets, and to what. */
const actions = {
  approve: ["status", "approved"],
  reject: ["status", "rejected"],
  suspend: ["status", "suspended"],
  claim: ["is_claimed", true],
  unclaim: ["is_claimed", false],
  verify: ["is_verified", true],
  unverify: ["is_verified", false],
} as const;

export type BusinessAction = keyof typeof actions;
export const businessActions = Object.keys(actions) as BusinessAction[];

export type ActionResult =
  | { slug: string; result: "changed" | "unchanged" | "unknown" }
  | { slug: string; result: "incomplete"; missing: string[] };

/**
 * Applies an action to a business; `incomplete` names what it lacks to be approved. Waits for whoever is
 * changing the business.
 */
export async function applyAction(
  sql: Sql,
  action: BusinessAction,
  slug: string,
): Promise<ActionResult> {
  const [result] = await apply(sql, action, [slug], sql``);
  return result ?? { slug, result: "unknown" };
}

/**
 * Applies an action to many businesses in one transaction: PostgreSQL commits no more than some hundreds a
 * second. Leaves out those that do not exist, and those that somebody is changing: an import may be waiting
 * for others of these, and each would wait for the other.
 */
export async function applyActionToFree(
  sql: Sql,
  action: BusinessAction,
  slugs: readonly string[],
): Promise<ActionResult[]> {
  return await apply(sql, action, slugs, sql`skip locked`);
}

/** @returns the results of the businesses found */
async function apply(
  sql: Sql,
  action: BusinessAction,
  slugs: readonly string[],
  ifLocked: Fragment,
): Promise<ActionResult[]> {
  const [column, value] = actions[action];
  const outcomes = await sql<
    { slug: string; missing: string[]; isSame: boolean; isDone: boolean }[]
  >`
    with found as (
      select id, slug, ${sql(column)} = ${value} as is_same,
        ${missing(sql)} as missing
      from businesses where slug = any(${slugs}::text[]) for update ${ifLocked}
    ),
    done as (
      update businesses set ${sql(column)} = ${value}
      from found
      where businesses.id = found.id and not is_same and (${action !== "approve"} or missing = '{}')
      returning businesses.id
    )
    select slug, missing, is_same as "isSame", id in (select id from done) as "isDone" from found
    order by array_position(${slugs}::text[], slug)`;
  return outcomes.map(({ slug, missing, isSame, isDone }) => {
    if (isSame) return { slug, result: "unchanged" };
    if (isDone) return { slug, result: "changed" };
    return { slug, result: "incomplete", missing };
  });
}

/** A business, whatever its status, what it lacks to be approved, its source, and its id there. */
export interface Candidate {
  slug: string;
  name: string;
  missing: string[];
  sourceId: string;
  source: string;
}

/** The businesses of a status, of one source or of all, in the order of their slugs, in batches. */
export function listCandidates(
  sql: Sql | Transaction,
  { status, source }: { status: BusinessStatus; source?: string | undefined },
): AsyncIterable<Candidate[]> {
  return sql<Candidate[]>`
    select slug, name, ${missing(sql)} as missing, source_id as "sourceId", source
    from businesses
    where status = ${status} ${source === undefined ? sql`` : sql`and source = ${source}`}
    order by slug`.cursor(1_000);
}

/** What a row of businesses lacks to be approved; see approved_is_complete in sql/001_directory.sql. */
const missing = (sql: Sql | Transaction) => sql`
  array_remove(array[
    case when category_id is null then 'category' end,
    case when city_id is null then 'city' end,
    case when address_line1 = '' then 'address line 1' end,
    case when postcode = '' then 'postcode' end,
    case when latitude is null then 'coordinates' end
  ], null)`;
