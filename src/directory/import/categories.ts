import * as v from "valibot";
import type { Sql, Transaction } from "../../store/postgres.ts";
import { isSlug } from "../slug.ts";
import { required } from "./fields.ts";
import { cleanLine } from "./text.ts";
import { inTransaction, type TransactionOptions } from "./transaction.ts";

export interface CategoryCounts {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
}

/** A fault of the records as a whole; none of them is kept. */
export class CategoryFault extends Error {}

/** Checks one record. @returns the reason when it is invalid */
export function readCategory(record: unknown): CategoryRecord | string {
  const checked = v.safeParse(categoryRecord, record, { abortEarly: true });
  return checked.success ? checked.output : checked.issues[0].message;
}

const categoryRecord = v.strictObject(
  {
    slug: v.pipe(
      v.optional(v.string("slug must be text"), ""),
      v.check(isSlug, "slug must be lower-case letters, digits and single hyphens, at most 120"),
    ),
    name: required("name", 200, cleanLine),
    // Slug of the category above; null for a root.
    parent: v.nullish(v.string("parent must be the slug of a category")),
    isActive: v.nullish(v.boolean("isActive must be true or false")),
  },
  ({ path }) =>
    path
      ? `${path[0]?.key} is not a field of a category: the fields are slug, name, parent and isActive`
      : "the row is not an object",
);

/** A category as a feed gives it; what is absent stays as it is. */
export type CategoryRecord = v.InferOutput<typeof categoryRecord>;

/**
 * Creates and updates categories by slug, all or none of them. A parent may come after its children.
 * @throws CategoryFault for a parent that does not exist, for a cycle, and when two records of a category
 *   contradict each other
 */
export async function importCategories(
  sql: Sql,
  records: readonly CategoryRecord[],
  options: TransactionOptions = {},
): Promise<CategoryCounts> {
  refuseContradictions(records);
  const counts: CategoryCounts = { read: records.length, created: 0, updated: 0, unchanged: 0 };
  await inTransaction(sql, options, async (transaction) => {
    const before = await readForChange(transaction);
    const after = changedBy(records, before);
    checkTree(after);
    const different = [...after.values()].filter(
      (category) => !Bun.deepEquals(before.get(category.slug), category),
    );
    const fresh = different.filter(({ slug }) => !before.has(slug));
    const changed = different.filter(({ slug }) => before.has(slug));

    if (fresh.length > 0) {
      // As one parameter, since a statement has at most 65,534.
      await transaction`
        insert into categories (slug, name, is_active)
        select slug, name, is_active
        from json_populate_recordset(null::categories, ${JSON.stringify(fresh)}::text::json)`;
    }
    const moved = changed.filter(({ slug, parent }) => before.get(slug)?.parent !== parent);
    // Two that swap places would form a cycle in between: all leave their parents before any gets one. Servers
    // discard their cached pages at any statement that changes categories, even if it finds none.
    if (moved.length > 0) {
      await transaction`
        update categories set parent_id = null
        where parent_id is not null and slug = any(${moved.map(({ slug }) => slug)}::text[])`;
    }
    const children = fresh.filter(({ parent }) => parent !== null);
    for (const category of [...children, ...changed]) await updateCategory(transaction, category);
    counts.created = fresh.length;
    counts.updated = changed.length;
    counts.unchanged = records.length - different.length;
  });
  return counts;
}

/**
 * The ids of all categories, by slug. Their rows are locked, so that they keep their slugs until the
 * transaction ends. This has to come before the first business is written: whoever changes a category locks
 * its row first and then the chunks' borders, a lock that this transaction shares from then on. If it locked
 * the row only then, the two could deadlock.
 */
export async function readCategories(sql: Sql | Transaction): Promise<Map<string, number>> {
  const rows = await sql<{ slug: string; id: number }[]>`
    select slug, id from categories order by id for key share`;
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

interface Stored {
  slug: string;
  name: string;
  is_active: boolean;
  parent: string | null;
}

/** All categories by slug, locked against changes by others until the transaction ends. */
async function readForChange(transaction: Transaction): Promise<Map<string, Stored>> {
  // First the rows, then the advisory lock. An operator's own `update categories` takes them in this order,
  // as its trigger takes the lock: in different orders the two could deadlock.
  await transaction`select from categories order by id for no key update`;
  // Locked before reading: nobody else moves categories, imports or adds businesses meanwhile.
  await transaction`select hold_chunk_borders_alone()`;
  const stored = await transaction<Stored[]>`
    select c.slug, c.name, c.is_active, parent.slug as parent
    from categories as c left join categories as parent on parent.id = c.parent_id
    for no key update of c`;
  return new Map(stored.map((category) => [category.slug, category]));
}

/** The categories as changed by the records. */
function changedBy(
  records: readonly CategoryRecord[],
  before: ReadonlyMap<string, Stored>,
): Map<string, Stored> {
  const after = new Map(before);
  for (const { slug, name, parent, isActive } of records) {
    const known = after.get(slug);
    after.set(slug, {
      slug,
      name,
      is_active: isActive ?? known?.is_active ?? true,
      parent: parent === undefined ? (known?.parent ?? null) : parent || null,
    });
  }
  return after;
}

async function updateCategory(
  transaction: Transaction,
  { slug, name, is_active, parent }: Stored,
): Promise<void> {
  await transaction`
    update categories
    set name = ${name}, is_active = ${is_active},
      parent_id = (select id from categories where slug = ${parent})
    where slug = ${slug}`;
}

function refuseContradictions(records: readonly CategoryRecord[]): void {
  const known = new Map<string, Partial<CategoryRecord>>();
  for (const { slug, name, parent, isActive } of records) {
    const said = {
      name,
      ...(parent !== undefined && { parent: parent || null }),
      ...(isActive != null && { isActive }),
    };
    const all = { ...known.get(slug), ...said };
    if (!Bun.deepEquals(all, { ...said, ...known.get(slug) })) {
      throw new CategoryFault(`Two rows of ${slug} contradict each other.`);
    }
    known.set(slug, all);
  }
}

function checkTree(categories: ReadonlyMap<string, Stored>): void {
  for (const { slug, parent } of categories.values()) {
    if (parent !== null && !categories.has(parent)) {
      throw new CategoryFault(`The parent ${parent} of ${slug} is not a category.`);
    }
    const path = [slug];
    for (let above = parent; above !== null; above = categories.get(above)?.parent ?? null) {
      if (path.includes(above)) {
        throw new CategoryFault(`${[...path, above].join(" < ")} is a cycle of categories.`);
      }
      path.push(above);
    }
  }
}
