import { COMPACTION_LOCK, takeImportLock } from "../store/locks.ts";
import { liftTimeLimits, type Sql, type Transaction } from "../store/postgres.ts";
import { compactListings } from "./compaction.ts";
import { ancestors, compareAll, type ListCheck, type ListCheckOptions } from "./list-check.ts";

interface ListRepairOptions extends ListCheckOptions {
  /** Called when an import is under way, which the repair waits for. */
  onWait?: (() => void) | undefined;
}

/**
 * Checks as checkLists does, and repairs all lists. It waits for a running import, and then whoever changes
 * businesses waits for it. Businesses that were listed wrongly are updated in search. Other changes made
 * while triggers were off are unknown: for them, search has to be rebuilt.
 * @returns what was wrong
 */
export async function repairLists(
  sql: Sql,
  { onProgress, onWait }: ListRepairOptions = {},
): Promise<ListCheck> {
  const found = await sql.begin(async (transaction) => {
    await liftTimeLimits(transaction);
    await takeImportLock(transaction, onWait);
    await transaction`select pg_advisory_xact_lock(${COMPACTION_LOCK})`;
    // Last, since whoever changes businesses waits from now on.
    await transaction`select hold_chunk_borders_alone()`;
    const compared = await compareAll(transaction, onProgress, repairCategory);
    if (compared.wrongAncestors > 0) await repairAncestors(transaction);
    await transaction`select pg_notify('directory_pages', '*'), pg_notify('directory_changed', '')`;
    return compared;
  });
  await compactListings(sql);
  return found;
}

async function repairAncestors(transaction: Transaction): Promise<void> {
  await transaction`delete from category_ancestors`;
  await transaction`
    insert into category_ancestors (category_id, ancestor_id, distance) ${ancestors(transaction)}`;
}

async function repairCategory(
  transaction: Transaction,
  category: number,
  cities: number[],
): Promise<void> {
  await transaction`
    with due as materialized (select * from pg_temp.due where category_id = ${category}),
    stray as (
      delete from listings as l
      where category_id = ${category} and not exists (
        select from due
        where (due.city_id, due.list_rank, due.business_id) = (l.city_id, l.list_rank, l.business_id))
      returning *
    ),
    missing as (
      insert into listings (category_id, city_id, list_rank, business_id)
      select * from due except select * from listings where category_id = ${category}
      returning *
    )
    insert into search_changes (business_id)
    select business_id from stray union select business_id from missing`;
  await transaction`
    delete from listing_counts where category_id = ${category} and city_id = any(${cities})`;
  // One chunk for each list, of any size: the next compaction splits it.
  await transaction`
    insert into listing_counts (category_id, city_id, from_rank, from_id, change, is_folded)
    select ${category}::integer, city.id, 0, '00000000-0000-0000-0000-000000000000', count(*), true
    from listings cross join lateral (values (0), (city_id)) as city (id)
    where category_id = ${category} and city.id = any(${cities})
    group by city.id`;
}
