-- Lists in order and their exact totals, at any depth, without walking or counting rows.
--
-- A scope is what a list may be filtered by: (category, city), each 0 for "any". Each approved
-- business stands in `listings` once for "any category" and once for each category it belongs to
-- (its own and the ancestors of that); two indexes give each scope in list order.
--
-- `listing_counts` counts the rows of each scope in chunks of consecutive keys. The total of a
-- scope is the sum of its chunks; the chunk that holds the N-th row is found by adding up counts,
-- and only inside it are index entries stepped over. Writers only append changes (+1, -1, +500 …),
-- so they never wait for each other and a total is exact in every snapshot;
-- `compact_listing_counts` folds changes together and splits a chunk that grew too large.
--
-- Migrations are only ever added to, so what a function is today stands where it was written last:
--   011  follow_businesses, announce_businesses, fold_listing_counts, is_photo_list
--   013  follow_names, keep_referenced
--   016  where the functions of triggers look for tables
--   017  keep_referenced_when_deleted, which stands in for keep_referenced
--   020  is_opening_hours
--   023  compact_listing_counts, cut_chunk
--   024  check_opening_hours
--   025  listing_scopes
--   026  hold_references
--   029  touch_business
--   030  count_change_of_keys
--   031  follow_category

create table listings (
  category_id integer not null,                         -- 0: any category
  city_id     integer not null,
  list_rank   bigint not null,
  business_id uuid not null
);
create unique index listings_by_city on listings (category_id, city_id, list_rank, business_id);
create index listings_by_category on listings (category_id, list_rank, business_id);

create table listing_counts (
  category_id integer not null,                         -- 0: any category
  city_id     integer not null,                         -- 0: any city
  from_rank   bigint not null,                          -- the chunk: all keys from this one
  from_id     uuid not null,                            --   to that of the next chunk
  change      integer not null,
  is_folded   boolean not null default false            -- the sum of earlier changes of this chunk
);
create index listing_counts_chunks on listing_counts (category_id, city_id, from_rank, from_id) include (change);
create index listing_counts_fresh on listing_counts (category_id) where not is_folded;

-- Businesses whose search document may be out of date; emptied by the search sync.
create table search_changes (
  id          bigint generated always as identity primary key,
  business_id uuid not null
);

-- The lock of the chunks' borders: shared by all who write listings; exclusive for who moves
-- borders, so that no change is ever counted into a chunk that is just being split, and for who
-- moves categories. A transaction that changes businesses and then makes or moves a category turns
-- its shared lock into an exclusive one: of two such at once, PostgreSQL lets one fail.
create function chunk_borders_lock() returns bigint
language sql immutable parallel safe return 20260002;

create function require_read_committed() returns void
language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- A snapshot older than a split would count into a chunk that has other borders by now.
    raise exception 'the directory is changed in read committed transactions only';
  end if;
end $$;

-- Must be called before listings are written.
create function hold_chunk_borders() returns void
language plpgsql as $$
begin
  perform require_read_committed();
  perform pg_advisory_xact_lock_shared(chunk_borders_lock());
end $$;

-- The statement that writes changes to `listings` and `listing_counts`. `changes` is a query of
-- rows (category_id, city_id, list_rank, business_id, change), change 1 (listed) or -1 (no longer).
-- It is text, and for the caller to execute, because only a trigger's own function sees the
-- transition tables.
create function write_listing_changes(changes text) returns text
language sql immutable as $$
  select format($sql$
    with net as materialized (
      select category_id, city_id, list_rank, business_id, sum(change)::integer as change
      from (%s) as raw
      group by 1, 2, 3, 4
      having sum(change) <> 0
    ),
    unlisted as (
      delete from listings as l using net
      where net.change < 0
        and l.category_id = net.category_id and l.city_id = net.city_id
        and l.list_rank = net.list_rank and l.business_id = net.business_id
    ),
    listed as (
      insert into listings (category_id, city_id, list_rank, business_id)
      select category_id, city_id, list_rank, business_id from net where change > 0
    )
    insert into listing_counts (category_id, city_id, from_rank, from_id, change)
    select net.category_id, city.id,
      coalesce(chunk.from_rank, 0), coalesce(chunk.from_id, '00000000-0000-0000-0000-000000000000'),
      sum(net.change)
    from net
      cross join lateral (values (0), (net.city_id)) as city (id)
      left join lateral (
        select k.from_rank, k.from_id
        from listing_counts as k
        where k.category_id = net.category_id and k.city_id = city.id
          and (k.from_rank, k.from_id) <= (net.list_rank, net.business_id)
        order by k.from_rank desc, k.from_id desc
        limit 1
      ) as chunk on true
    group by 1, 2, 3, 4
    having sum(net.change) <> 0
  $sql$, changes)
$$;

-- After each statement on `businesses`: listings, counts and search follow what is approved.
create function follow_businesses() returns trigger
language plpgsql as $$
declare
  -- One row for each scope's category of each approved business.
  listed constant text := $sql$
    select scope.category_id, b.city_id, b.list_rank, b.id as business_id, %s as change
    from %I as b
      cross join lateral (
        select ancestor_id as category_id from category_ancestors where category_id = b.category_id
        union all select 0
      ) as scope
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
    execute write_listing_changes(format(listed, 1, 'new_rows'));
    insert into search_changes (business_id) select id from new_rows where status = 'approved';
  elsif tg_op = 'DELETE' then
    execute write_listing_changes(format(listed, -1, 'old_rows'));
    insert into search_changes (business_id) select id from old_rows where status = 'approved';
  else
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

create trigger follow_insert after insert on businesses
  referencing new table as new_rows for each statement execute function follow_businesses();
create trigger follow_update after update on businesses
  referencing old table as old_rows new table as new_rows for each statement execute function follow_businesses();
create trigger follow_delete after delete on businesses
  referencing old table as old_rows for each statement execute function follow_businesses();

create function refuse_truncate() returns trigger
language plpgsql as $$
begin
  raise exception 'delete from %, do not truncate it: lists and totals follow single rows', tg_table_name;
end $$;
create trigger refuse_truncate before truncate on businesses
  for each statement execute function refuse_truncate();

create function touch_business() returns trigger
language plpgsql as $$
begin
  if new.slug <> old.slug or new.id <> old.id then
    raise exception 'the id and the slug of a business never change';
  end if;
  new.updated_at := now();
  return new;
end $$;
create trigger touch before update on businesses
  for each row execute function touch_business();

-- Keeps `category_ancestors`, and the listings of a branch that moves, true to `parent_id`.
create function follow_category() returns trigger
language plpgsql as $$
declare
  ancestors_before integer[] := '{}';
  ancestors_after  integer[] := '{}';
begin
  perform require_read_committed();
  -- Alone: two moves at once could make a circle that neither sees, and listings that are written
  -- meanwhile would follow the old ancestors.
  perform pg_advisory_xact_lock(chunk_borders_lock());
  if tg_op = 'INSERT' then
    insert into category_ancestors values (new.id, new.id, 0);
  else
    select coalesce(array_agg(ancestor_id), '{}') into ancestors_before
    from category_ancestors where category_id = new.id and distance > 0;
    delete from category_ancestors
    where category_id in (select category_id from category_ancestors where ancestor_id = new.id)
      and ancestor_id = any (ancestors_before);
  end if;

  if exists (select from category_ancestors where category_id = new.parent_id and ancestor_id = new.id) then
    raise exception using errcode = 'check_violation',
      message = format('category %s would become its own ancestor', new.slug);
  end if;
  insert into category_ancestors (category_id, ancestor_id, distance)
  select below.category_id, above.ancestor_id, below.distance + 1 + above.distance
  from category_ancestors as below, category_ancestors as above
  where below.ancestor_id = new.id and above.category_id = new.parent_id;

  if tg_op = 'UPDATE' then
    select coalesce(array_agg(ancestor_id), '{}') into ancestors_after
    from category_ancestors where category_id = new.id and distance > 0;
    execute write_listing_changes(format($sql$
      select scope.category_id, l.city_id, l.list_rank, l.business_id, scope.change
      from listings as l
        cross join (
          select unnest(%L::integer[]), -1 union all select unnest(%L::integer[]), 1
        ) as scope (category_id, change)
      where l.category_id = %s
    $sql$, ancestors_before, ancestors_after, new.id));
  end if;
  return null;
end $$;
create trigger follow_insert after insert on categories
  for each row execute function follow_category();
create trigger follow_move after update of parent_id on categories
  for each row when (old.parent_id is distinct from new.parent_id) execute function follow_category();

-- Search documents hold the names of the city and of the categories above.
create function follow_names() returns trigger
language plpgsql as $$
begin
  if tg_table_name = 'cities' then
    insert into search_changes (business_id)
    select business_id from listings where category_id = 0 and city_id = new.id;
  else
    insert into search_changes (business_id)
    select business_id from listings where category_id = new.id;
  end if;
  return null;
end $$;
create trigger follow_name after update of name, slug on cities
  for each row execute function follow_names();
create trigger follow_name after update of name, slug, parent_id, is_active on categories
  for each row execute function follow_names();

create function announce_directory() returns trigger
language plpgsql as $$
begin
  notify directory_changed;
  return null;
end $$;
create trigger announce after insert or update or delete on cities
  for each statement execute function announce_directory();
create trigger announce after insert or update or delete on categories
  for each statement execute function announce_directory();

-- Folds fresh changes into one row for each chunk, then splits chunks of more than max_size rows
-- and drops empty ones. Returns true when it is worth calling again: another one was at it, or
-- writers held the borders. Never waits for writers. One transaction of its own.
create function compact_listing_counts(max_size integer default 4096) returns boolean
language plpgsql as $$
declare
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
          (row_number() over (order by list_rank, business_id) - 1) / ($5 / 2) as part
        from listings
        where category_id = $1 %s
          and (list_rank, business_id) >= ($3, $4)
          and (list_rank, business_id) < (
            coalesce((select from_rank from next), 9223372036854775807),
            coalesce((select from_id from next), 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      )
      insert into listing_counts (category_id, city_id, from_rank, from_id, change, is_folded)
      select distinct on (part) $1, $2,
        case when part = 0 then $3 else list_rank end,
        case when part = 0 then $4 else business_id end,
        count(*) over (partition by part), true
      from keys
      order by part, list_rank, business_id
    $sql$, case when chunk.city_id = 0 then '' else 'and city_id = $2' end)
    using chunk.category_id, chunk.city_id, chunk.from_rank, chunk.from_id, max_size;
  end loop;
  return false;
end $$;
