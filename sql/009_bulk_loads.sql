-- Loading by the hundred thousand, into a directory that is large already: what a statement costs
-- beside its rows.

-- As before, but without a copy of each entry, and with one regular expression for all times: to
-- begin one costs more than to read on.
create or replace function is_photo_list(photos jsonb) returns boolean
language sql immutable parallel safe
return case when jsonb_typeof(photos) = 'array' then
  jsonb_array_length(photos) = jsonb_array_length(jsonb_path_query_array(photos, $path$
    strict $[*] ? (
      (@.url starts with "http://" || @.url starts with "https://")
        && @.caption.type() == "string"
        && @.isCover.type() == "boolean"
    ).isCover
  $path$, silent => true))
  and jsonb_array_length(jsonb_path_query_array(photos, '$[*].isCover ? (@ == true)')) <= 1
else false end;

create or replace function is_opening_hours(hours jsonb) returns boolean
language sql immutable parallel safe
return case when jsonb_typeof(hours) = 'array' then
  jsonb_array_length(hours) = jsonb_array_length(jsonb_path_query_array(hours, $path$
    strict $[*] ? (
      (@.day == "MONDAY" || @.day == "TUESDAY" || @.day == "WEDNESDAY" || @.day == "THURSDAY"
        || @.day == "FRIDAY" || @.day == "SATURDAY" || @.day == "SUNDAY")
      && (
        @.isClosed == false && @.is24Hours == false && @.openTime != "" && @.closeTime != ""
        || (@.isClosed == true && @.is24Hours == false || @.isClosed == false && @.is24Hours == true)
          && @.openTime == "" && @.closeTime == "")
    ).day
  $path$, silent => true))
  and (
    jsonb_path_query_array(hours, '$[*].openTime')::text
      || jsonb_path_query_array(hours, '$[*].closeTime')::text
  ) ~ '^(\[("(([01][0-9]|2[0-3]):[0-5][0-9])?"(, )?)*\])*$'
else false end;

-- Where the chunks begin, apart from their changes. Each chunk but the first of its list has one
-- folded row from the moment it is split off, and keeps one until it is dropped. The index of all
-- changes is many times as large while there is much to fold, as after each statement of a load.
create index if not exists listing_counts_borders on listing_counts (category_id, city_id, from_rank, from_id) where is_folded;

-- As before, but the chunk of a row is looked up among these borders, and rows meet their list by
-- category and city at once. By category alone, each row met all lists of its category that are more
-- than one chunk, of which a large directory has thousands.
--
-- What joins the rows of a statement is executed as text, and so planned for their number each time.
-- A plan that was made for one row, and kept for the session, takes many thousands pair by pair.
create or replace function follow_businesses() returns trigger
language plpgsql as $$
declare
  -- One row for each scope's category of each approved business.
  listed constant text := $sql$
    select scope.category_id, b.city_id, b.list_rank, b.id as business_id, %s as change
    from %I as b
      join listing_scopes as scope on scope.of_category_id = b.category_id
    where b.status = 'approved'
  $sql$;
  -- An update that moves nothing is most of them: leave those out before they are spread.
  moved constant text := $sql$
    and exists (
      select from %I as o
      where o.id = b.id
        and (o.status, o.category_id, o.city_id, o.list_rank)
          is distinct from (b.status, b.category_id, b.city_id, b.list_rank))
  $sql$;
  new_categories integer[];
  new_cities integer[];
  have_moved boolean;
begin
  perform hold_chunk_borders();
  if tg_op = 'INSERT' then
    perform hold_references(
      array(select distinct category_id from new_rows where category_id is not null),
      array(select distinct city_id from new_rows where city_id is not null));
    -- Nothing cancels out here, and in the order of the index a row goes beside the one before.
    execute $sql$
      with listed as materialized (
        select scope.category_id, b.city_id, b.list_rank, b.id as business_id
        from new_rows as b
          join listing_scopes as scope on scope.of_category_id = b.category_id
        where b.status = 'approved'
        order by 1, 2, 3, 4
      ),
      written as (
        insert into listings (category_id, city_id, list_rank, business_id) select * from listed
      ),
      -- Each stands in the list of its city and in that of all cities.
      keys as materialized (
        select category_id, city_id, list_rank, business_id from listed
        union all
        select category_id, 0, list_rank, business_id from listed
      ),
      -- Most lists are one chunk, for which the chunk of each row need not be looked up.
      lists as materialized (
        select list.*, coalesce(split.is_split, false) as is_split
        from (
            select category_id, city_id, count(*) as size from listed group by 1, 2
            union all
            select category_id, 0, count(*) from listed group by 1
          ) as list
          left join lateral (
            select true as is_split
            from listing_counts as k
            where k.is_folded and k.category_id = list.category_id and k.city_id = list.city_id
              and (k.from_rank, k.from_id) > (0, '00000000-0000-0000-0000-000000000000')
            order by k.from_rank, k.from_id
            limit 1
          ) as split on true
      )
      insert into listing_counts (category_id, city_id, from_rank, from_id, change)
      select category_id, city_id, 0, '00000000-0000-0000-0000-000000000000', size
      from lists where not is_split
      union all
      select category_id, city_id,
        coalesce(chunk.from_rank, 0), coalesce(chunk.from_id, '00000000-0000-0000-0000-000000000000'),
        count(*)
      from keys
        join lists using (category_id, city_id)
        left join lateral (
          select k.from_rank, k.from_id
          from listing_counts as k
          where k.is_folded and k.category_id = keys.category_id and k.city_id = keys.city_id
            and (k.from_rank, k.from_id) <= (keys.list_rank, keys.business_id)
          order by k.from_rank desc, k.from_id desc
          limit 1
        ) as chunk on true
      where lists.is_split
      group by 1, 2, 3, 4
    $sql$;
    insert into search_changes (business_id) select id from new_rows where status = 'approved';
  elsif tg_op = 'DELETE' then
    execute write_listing_changes(format(listed, -1, 'old_rows'));
    insert into search_changes (business_id) select id from old_rows where status = 'approved';
  else
    execute $sql$
      select
        array_agg(distinct n.category_id) filter (where n.category_id <> coalesce(o.category_id, 0)),
        array_agg(distinct n.city_id) filter (where n.city_id <> coalesce(o.city_id, 0)),
        bool_or(
          (o.status, o.category_id, o.city_id, o.list_rank)
            is distinct from (n.status, n.category_id, n.city_id, n.list_rank))
      from new_rows as n join old_rows as o using (id)
    $sql$ into new_categories, new_cities, have_moved;
    perform hold_references(coalesce(new_categories, '{}'), coalesce(new_cities, '{}'));
    if have_moved then
      execute write_listing_changes(
        format(listed, -1, 'old_rows') || format(moved, 'new_rows')
        || ' union all '
        || format(listed, 1, 'new_rows') || format(moved, 'old_rows'));
    end if;
    insert into search_changes (business_id)
    select id from old_rows where status = 'approved'
    union
    select id from new_rows where status = 'approved';
  end if;
  notify directory_changed;
  return null;
end $$;

-- Chunks as large as their list asks for. To find the N-th row of a list its chunks are added up and
-- half a chunk is stepped over: both cost least when a chunk grows with the square root of the list.
-- With one size for all, a town of 4,000 was one chunk, half of which a page had to step over.

create or replace function chunk_size(list_size bigint) returns integer
language sql immutable parallel safe
return greatest(256, 4 * sqrt(list_size)::integer);

-- The chunks that have grown too large, with the size at which they did, and those that are empty.
create or replace function uneven_chunks(size_for_all integer)
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

-- As before, but with a size for each list (max_size is one for all, and for tests), and a part is told
-- by its first key alone: how large it is, is known.
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
    keys_left := keys_left - least(chunk.size, keys_now);
  end loop;
  return keys_left <= 0;
end $$;
