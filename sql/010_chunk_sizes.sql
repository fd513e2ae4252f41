-- Chunks as large as their list asks for. To find the N-th row of a list its chunks are added up and
-- half a chunk is stepped over: both cost least when a chunk grows with the square root of the list.
-- With one size for all, a town of 4,000 was one chunk, half of which a page had to step over.

create function chunk_size(list_size bigint) returns integer
language sql immutable parallel safe
return greatest(256, 4 * sqrt(list_size)::integer);

-- The chunks that have grown too large, with the size at which they did, and those that are empty.
create function uneven_chunks(size_for_all integer)
returns table (
  category_id integer, city_id integer, from_rank bigint, from_id uuid, size bigint, max_size integer
)
language sql stable as $$
  select * from (
    select category_id, city_id, from_rank, from_id, size,
      coalesce(
        size_for_all,
        chunk_size(sum(size) over (partition by category_id, city_id)::bigint)) as max_size
    from (
      select category_id, city_id, from_rank, from_id, sum(change) as size
      from listing_counts
      group by 1, 2, 3, 4
    ) as chunks
  ) as sized
  where size > max_size or size = 0
$$;

-- As before, with a size for each list; max_size is one for all, and for tests.
drop function compact_listing_counts;
create function compact_listing_counts(max_size integer default null, max_keys integer default 200000)
returns boolean
language plpgsql as $$
declare
  keys_left integer := max_keys;
  half integer;
  keys_now integer;
  chunk record;
begin
  perform require_read_committed();
  if not pg_try_advisory_xact_lock(20260003) then
    return true;
  end if;

  with fresh as (
    delete from listing_counts where not is_folded returning *
  ),
  folded as (
    delete from listing_counts as k
    using (select distinct category_id, city_id, from_rank, from_id from fresh) as f
    where k.is_folded
      and (k.category_id, k.city_id, k.from_rank, k.from_id) = (f.category_id, f.city_id, f.from_rank, f.from_id)
    returning k.*
  )
  insert into listing_counts (category_id, city_id, from_rank, from_id, change, is_folded)
  select category_id, city_id, from_rank, from_id, sum(change), true
  from (select * from fresh union all select * from folded) as both_kinds
  group by 1, 2, 3, 4;

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
    half := chunk.max_size / 2;
    -- Whole parts only: what begins after the last one is the rest.
    keys_now := greatest(keys_left / half, 1) * half;
    execute format($sql$
      with next as (
        select from_rank, from_id from listing_counts
        where category_id = $1 and city_id = $2 and (from_rank, from_id) > ($3, $4)
        order by from_rank, from_id
        limit 1
      ),
      keys as (
        select list_rank, business_id,
          (row_number() over (order by list_rank, business_id) - 1) / $5 as part
        from listings
        where category_id = $1 %s
          and (list_rank, business_id) >= ($3, $4)
          and (list_rank, business_id) < (
            coalesce((select from_rank from next), 9223372036854775807),
            coalesce((select from_id from next), 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        order by list_rank, business_id
        limit $6 + 1
      )
      insert into listing_counts (category_id, city_id, from_rank, from_id, change, is_folded)
      select distinct on (part) $1, $2,
        case when part = 0 then $3 else list_rank end,
        case when part = 0 then $4 else business_id end,
        case when part * $5 = $6 then $7 - $6 else count(*) over (partition by part) end, true
      from keys
      order by part, list_rank, business_id
    $sql$, case when chunk.city_id = 0 then '' else 'and city_id = $2' end)
    using chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id, half, keys_now, chunk.size;
    keys_left := keys_left - least(chunk.size, keys_now);
  end loop;
  return keys_left <= 0;
end $$;
