-- As before, but a step that cuts the last chunk short says that there is more to do. It only looked at
-- whether any keys of its share were left. Some were, fewer than a part, so it took the work for finished
-- although the rest of the chunk was still too large.
create or replace function compact_listing_counts(max_size integer default null, max_keys integer default 200000)
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
        select list_rank, business_id, row_number() over (order by list_rank, business_id) - 1 as place
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
      select $1, $2,
        case when place = 0 then $3 else list_rank end,
        case when place = 0 then $4 else business_id end,
        case when place = $6 then $7 - place else least($5, $7 - place) end, true
      from keys
      where mod(place, $5) = 0
    $sql$, case when chunk.city_id = 0 then '' else 'and city_id = $2' end)
    using chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id, half, keys_now, chunk.size;
    -- The rest may still be too large. What is left of the keys is less than a part.
    if keys_now < chunk.size then
      return true;
    end if;
    keys_left := keys_left - chunk.size;
  end loop;
  return keys_left <= 0;
end $$;
