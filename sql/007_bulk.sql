-- Loading by the hundred thousand: the same rules and totals as before, at a fraction of the cost.
-- What a row costs is what its checks, keys and triggers cost; three of them were most of it.

-- As expressions that PostgreSQL puts in place of the call, since the query that a function was cost
-- more than what it checked. Each asks whether those entries that are right are all entries.
create or replace function is_photo_list(photos jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(photos) = 'array'
  and photos = jsonb_path_query_array(photos, $path$
    strict $[*] ? (
      (@.url starts with "http://" || @.url starts with "https://")
        && @.caption.type() == "string"
        && @.isCover.type() == "boolean")
  $path$, silent => true)
  and jsonb_array_length(jsonb_path_query_array(photos, '$[*] ? (@.isCover == true)')) <= 1;

create or replace function is_opening_hours(hours jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(hours) = 'array'
  and hours = jsonb_path_query_array(hours, $path$
    strict $[*] ? (
      (@.day == "MONDAY" || @.day == "TUESDAY" || @.day == "WEDNESDAY" || @.day == "THURSDAY"
        || @.day == "FRIDAY" || @.day == "SATURDAY" || @.day == "SUNDAY")
      && (
        @.isClosed == false && @.is24Hours == false
          && @.openTime like_regex "^([01][0-9]|2[0-3]):[0-5][0-9]$"
          && @.closeTime like_regex "^([01][0-9]|2[0-3]):[0-5][0-9]$"
        || (@.isClosed == true && @.is24Hours == false || @.isClosed == false && @.is24Hours == true)
          && @.openTime == "" && @.closeTime == ""))
  $path$, silent => true);

-- A foreign key asks for each row of businesses whether its category and its city exist: a quarter
-- of the cost of an insert. `follow_businesses` asks once for each statement, and takes the same
-- lock on what it finds; `keep_referenced` is the other side.
alter table businesses alter constraint businesses_category_id_fkey not enforced;
alter table businesses alter constraint businesses_city_id_fkey not enforced;

create function keep_referenced() returns trigger
language plpgsql as $$
declare
  is_referenced boolean;
begin
  execute format('select exists (select from businesses where %I = $1)', tg_argv[0])
  into is_referenced using old.id;
  if is_referenced then
    raise exception using errcode = 'foreign_key_violation',
      message = format('there are businesses of %s in %s', old.slug, tg_table_name);
  end if;
  return null;
end $$;
create trigger keep_referenced after delete or update of id on categories
  for each row execute function keep_referenced('category_id');
create trigger keep_referenced after delete or update of id on cities
  for each row execute function keep_referenced('city_id');
create trigger refuse_truncate before truncate on categories
  for each statement execute function refuse_truncate();
create trigger refuse_truncate before truncate on cities
  for each statement execute function refuse_truncate();

create function hold_references(category_ids integer[], city_ids integer[]) returns void
language plpgsql as $$
begin
  perform from categories where id = any (category_ids) order by id for key share;
  if (select count(*) from categories where id = any (category_ids)) < cardinality(category_ids) then
    raise exception using errcode = 'foreign_key_violation', message = 'a business needs a category that exists';
  end if;
  perform from cities where id = any (city_ids) order by id for key share;
  if (select count(*) from cities where id = any (city_ids)) < cardinality(city_ids) then
    raise exception using errcode = 'foreign_key_violation', message = 'a business needs a city that exists';
  end if;
end $$;

-- The places in the tree at which businesses of a category are listed: itself, all above it, and 0.
create view listing_scopes as
  select category_id as of_category_id, ancestor_id as category_id from category_ancestors
  union all
  select id, 0 from categories;

-- After each statement on `businesses`: listings, counts and search follow what is approved.
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
begin
  perform hold_chunk_borders();
  if tg_op = 'INSERT' then
    perform hold_references(
      array(select distinct category_id from new_rows where category_id is not null),
      array(select distinct city_id from new_rows where city_id is not null));
    -- Nothing cancels out here, and in the order of the index a row goes beside the one before.
    with listed as materialized (
      select scope.category_id, b.city_id, b.list_rank, b.id as business_id
      from new_rows as b
        join listing_scopes as scope on scope.of_category_id = b.category_id
      where b.status = 'approved'
      order by 1, 2, 3, 4
    ),
    written as (
      insert into listings (category_id, city_id, list_rank, business_id) select * from listed
    )
    insert into listing_counts (category_id, city_id, from_rank, from_id, change)
    select listed.category_id, city.id,
      coalesce(chunk.from_rank, 0), coalesce(chunk.from_id, '00000000-0000-0000-0000-000000000000'),
      count(*)
    from listed
      cross join lateral (values (0), (listed.city_id)) as city (id)
      left join lateral (
        select k.from_rank, k.from_id
        from listing_counts as k
        where k.category_id = listed.category_id and k.city_id = city.id
          and (k.from_rank, k.from_id) <= (listed.list_rank, listed.business_id)
        order by k.from_rank desc, k.from_id desc
        limit 1
      ) as chunk on true
    group by 1, 2, 3, 4;
    insert into search_changes (business_id) select id from new_rows where status = 'approved';
  elsif tg_op = 'DELETE' then
    execute write_listing_changes(format(listed, -1, 'old_rows'));
    insert into search_changes (business_id) select id from old_rows where status = 'approved';
  else
    perform hold_references(
      array(
        select distinct n.category_id from new_rows as n join old_rows as o using (id)
        where n.category_id <> coalesce(o.category_id, 0)),
      array(
        select distinct n.city_id from new_rows as n join old_rows as o using (id)
        where n.city_id <> coalesce(o.city_id, 0)));
    execute write_listing_changes(
      format(listed, -1, 'old_rows') || format(moved, 'new_rows')
      || ' union all '
      || format(listed, 1, 'new_rows') || format(moved, 'old_rows'));
    insert into search_changes (business_id)
    select id from old_rows where status = 'approved'
    union
    select id from new_rows where status = 'approved';
  end if;
  notify directory_changed;
  return null;
end $$;

-- Folds fresh changes into one row for each chunk, then splits chunks of more than max_size rows
-- and drops empty ones. Returns true when it is worth calling again: there is more to split than
-- max_keys listings (a chunk that is larger is split from its beginning, the rest of it being one
-- chunk as before), another one was at it, or writers held the borders. Never waits for writers,
-- and makes them wait no longer than max_keys take. One transaction of its own.
drop function compact_listing_counts;
create function compact_listing_counts(max_size integer default 4096, max_keys integer default 200000)
returns boolean
language plpgsql as $$
declare
  half constant integer := max_size / 2;
  -- Whole parts only: what begins after the last one is the rest.
  keys_left integer := greatest(max_keys / half, 1) * half;
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

  if not exists (select from listing_counts where change > max_size or change = 0 and is_folded) then
    return false;
  end if;
  if not pg_try_advisory_xact_lock(chunk_borders_lock()) then
    return true;
  end if;

  for chunk in
    select category_id, city_id, from_rank, from_id, sum(change) as size
    from listing_counts
    group by 1, 2, 3, 4
    having sum(change) > max_size or sum(change) = 0
  loop
    exit when keys_left = 0;
    delete from listing_counts
    where (category_id, city_id, from_rank, from_id)
      = (chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id);
    continue when chunk.size = 0;
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
    using chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id, half, keys_left, chunk.size;
    keys_left := keys_left - least((chunk.size + half - 1) / half * half, keys_left);
  end loop;
  return keys_left = 0;
end $$;
