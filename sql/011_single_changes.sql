-- Single changes: what a statement costs that touches a few businesses only. Most of that was to
-- plan, anew each time, how to list what it touches.

-- Lists businesses where they are now, and no longer where they were, each given with its own
-- category. For a few of them: the plan is made for few, and kept for the session. It would outlive
-- a directory that is small enough for reading whole tables to seem cheap, hence no such plan.
do $do$ begin
  execute format($sql$
    create function relist(before listings[], after listings[]) returns void
    language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off
    as %L
  $sql$, format('begin %s; end', write_listing_changes($sql$
    select scope.category_id, b.city_id, b.list_rank, b.business_id, b.change
    from (
        select *, -1 as change from unnest(before)
        union all
        select *, 1 from unnest(after)
      ) as b
      cross join unnest(
        array(select ancestor_id from category_ancestors where category_id = b.category_id) || 0
      ) as scope (category_id)
  $sql$)));
end $do$;

-- As before, but few businesses are left to `relist`. Nothing here joins rows except as text, so a
-- plan that is kept from a statement of few is right for many, too.
create or replace function follow_businesses() returns trigger
language plpgsql as $$
declare
  few constant integer := 20;
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
  before listings[] := '{}';
  after listings[] := '{}';
  new_categories integer[];
  new_cities integer[];
begin
  perform hold_chunk_borders();
  if tg_op = 'INSERT' then
    perform hold_references(
      array(select distinct category_id from new_rows where category_id is not null),
      array(select distinct city_id from new_rows where city_id is not null));
    if exists (select from new_rows offset few) then
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
    else
      after := array(
        select row(category_id, city_id, list_rank, id)::listings from new_rows where status = 'approved');
    end if;
    insert into search_changes (business_id) select id from new_rows where status = 'approved';
  elsif tg_op = 'DELETE' then
    if exists (select from old_rows offset few) then
      execute write_listing_changes(format(listed, -1, 'old_rows'));
    else
      before := array(
        select row(category_id, city_id, list_rank, id)::listings from old_rows where status = 'approved');
    end if;
    insert into search_changes (business_id) select id from old_rows where status = 'approved';
  else
    -- Only what no row had before: the rest is known to be there.
    new_categories := array(
      select category_id from new_rows where category_id is not null except select category_id from old_rows);
    new_cities := array(
      select city_id from new_rows where city_id is not null except select city_id from old_rows);
    if new_categories <> '{}' or new_cities <> '{}' then
      perform hold_references(new_categories, new_cities);
    end if;
    if exists (select from new_rows offset few) then
      execute write_listing_changes(
        format(listed, -1, 'old_rows') || format(moved, 'new_rows')
        || ' union all '
        || format(listed, 1, 'new_rows') || format(moved, 'old_rows'));
    else
      before := array(
        select row(category_id, city_id, list_rank, id)::listings
        from old_rows where status = 'approved' order by id);
      after := array(
        select row(category_id, city_id, list_rank, id)::listings
        from new_rows where status = 'approved' order by id);
    end if;
    insert into search_changes (business_id)
    select id from old_rows where status = 'approved'
    union
    select id from new_rows where status = 'approved';
  end if;
  if before <> after then
    perform relist(before, after);
  end if;
  notify directory_changed;
  return null;
end $$;

-- As before, but without planning anew.
create or replace function announce_businesses() returns trigger
language plpgsql as $$
declare
  -- Of more than these there is little left that is still true.
  most_changes constant integer := 500;
  changes_in_payload constant integer := 20;
  changes jsonb[];
  payload text;
begin
  if tg_op = 'INSERT' then
    -- First, since to say where each is listed costs as much as to list it.
    if exists (select from new_rows where status = 'approved' offset most_changes) then
      perform pg_notify('directory_pages', '*');
      return null;
    end if;
    changes := array(
      select jsonb_build_array(slug, id, null, listed_place(status, city_id, list_rank, category_id))
      from new_rows where status = 'approved');
  elsif tg_op = 'DELETE' then
    changes := array(
      select jsonb_build_array(slug, id, listed_place(status, city_id, list_rank, category_id), null)
      from old_rows where status = 'approved'
      limit most_changes + 1);
  else
    -- Each old row has its new one. A full join is the one that is never done pair by pair, so the
    -- plan of few rows, which is kept, is right for many.
    changes := array(
      select jsonb_build_array(n.slug, n.id,
        listed_place(o.status, o.city_id, o.list_rank, o.category_id),
        listed_place(n.status, n.city_id, n.list_rank, n.category_id))
      from old_rows as o full join new_rows as n using (id)
      where 'approved' in (o.status, n.status)
      limit most_changes + 1);
  end if;

  if cardinality(changes) > most_changes then
    perform pg_notify('directory_pages', '*');
    return null;
  end if;
  for start in 1 .. cardinality(changes) by changes_in_payload loop
    payload := (
      select jsonb_agg(change || jsonb_build_array(
        pg_current_xact_id()::text::bigint, nextval('announced_changes')))
      from unnest(changes[start : start + changes_in_payload - 1]) as change)::text;
    -- PostgreSQL takes payloads of less than 8,000 bytes.
    perform pg_notify('directory_pages', case when octet_length(payload) < 8000 then payload else '*' end);
  end loop;
  return null;
end $$;

-- As before, but not as expressions that PostgreSQL puts in place of the call. That is the fastest
-- way for many rows, by less than a microsecond each; but each statement reads and plans the
-- expressions anew, which was a quarter of what an update of one row took.
create or replace function is_photo_list(photos jsonb) returns boolean
language plpgsql immutable parallel safe as $$
begin
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
end $$;

create or replace function is_opening_hours(hours jsonb) returns boolean
language plpgsql immutable parallel safe as $$
begin
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
end $$;

-- Folding alone costs as much as there are changes. To look for chunks of another size than they
-- should have costs as much as there are chunks, so the server does that less often.
create function fold_listing_counts() returns void
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(20260003) then
    return;
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
end $$;

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
    keys_left := keys_left - least(chunk.size, keys_now);
  end loop;
  return keys_left <= 0;
end $$;
