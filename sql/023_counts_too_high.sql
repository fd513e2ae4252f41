-- As before, but a count that is too high uses up no more of `max_keys` than there are rows. It used up all that
-- it claimed: a step came to nothing else, and said each time that there was more to do, so that servers went
-- from step to step without end.

-- Cuts a chunk, whose counts are gone already, into parts of so many rows, as long as there are any of
-- `max_keys` left. The last part has the rest, or if there are not that many rows, what is left of the count: that
-- is too high, as after changes without triggers, and for check-lists.ts to mend.
-- Returns how many of `max_keys` are left: none, or less than that, when the rest may still be too large.
-- The plan is made once, and has to be one for few rows, which it is only if it does not look at the whole table.
create or replace function cut_chunk(
  category integer, city integer, rank bigint, id uuid, size bigint, part integer, max_keys integer
) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  end_rank bigint;
  end_id uuid;
  next_rank bigint;
  next_id uuid;
begin
  select from_rank, from_id into end_rank, end_id
  from listing_counts
  where category_id = category and city_id = city and (from_rank, from_id) > (rank, id)
  order by from_rank, from_id
  limit 1;
  if not found then
    end_rank := 9223372036854775807;
    end_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  while size > part and max_keys > 0 loop
    if city = 0 then
      select list_rank, business_id into next_rank, next_id
      from listings
      where category_id = category
        and (list_rank, business_id) >= (rank, id) and (list_rank, business_id) < (end_rank, end_id)
      order by list_rank, business_id
      offset part limit 1;
    else
      select list_rank, business_id into next_rank, next_id
      from listings
      where category_id = category and city_id = city
        and (list_rank, business_id) >= (rank, id) and (list_rank, business_id) < (end_rank, end_id)
      order by list_rank, business_id
      offset part limit 1;
    end if;
    exit when not found;
    insert into listing_counts values (category, city, rank, id, part, true);
    rank := next_rank;
    id := next_id;
    size := size - part;
    max_keys := max_keys - part;
  end loop;
  insert into listing_counts values (category, city, rank, id, size, true);
  return max_keys;
end $$;

create or replace function compact_listing_counts(max_size integer default null, max_keys integer default 200000)
returns boolean
language plpgsql as $$
declare
  keys_left integer := max_keys;
  chunk record;
begin
  perform require_read_committed();
  if not pg_try_advisory_xact_lock(20260003) then
    return true;
  end if;

  perform fold_listing_counts();
  if not exists (select from uneven_chunks(max_size)) then
    return false;
  end if;
  if not pg_try_advisory_xact_lock(chunk_borders_lock()) then
    return true;
  end if;

  for chunk in select * from uneven_chunks(max_size) loop
    exit when keys_left <= 0;
    delete from listing_counts
    where (category_id, city_id, from_rank, from_id)
      = (chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id);
    continue when chunk.size = 0;
    keys_left := cut_chunk(
      chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id, chunk.size, chunk.max_size / 2, keys_left);
  end loop;
  return keys_left <= 0;
end $$;
