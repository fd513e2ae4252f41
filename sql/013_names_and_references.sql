-- What businesses refer to may change while they do.

-- Search documents hold the names of the city and of the categories above. A change of a name records that
-- name alone, one row. Which businesses have it is asked later, when search is brought up to date: so none
-- is missed that was committed and indexed while the name changed.
create table search_renames (
  id          bigint generated always as identity primary key,
  category_id integer,                                      -- and all below it
  city_id     integer,
  check (num_nonnulls(category_id, city_id) = 1)
);

create or replace function follow_names() returns trigger
language plpgsql as $$
begin
  if tg_table_name = 'cities' then
    insert into search_renames (city_id) values (new.id);
  else
    insert into search_renames (category_id) values (new.id);
  end if;
  return null;
end $$;

-- Records a change of each business that has one of the names. One statement, so that it sees all that
-- was committed before a name was, and whatever comes later comes with the name.
create function spread_renames() returns void
language sql as $$
  with renamed as (delete from search_renames returning category_id, city_id)
  insert into search_changes (business_id)
  select l.business_id from renamed as r join listings as l on l.category_id = r.category_id
  union
  select l.business_id from renamed as r join listings as l on l.category_id = 0 and l.city_id = r.city_id
$$;

-- In a snapshot of before, the businesses that came since would be missed.
create or replace function keep_referenced() returns trigger
language plpgsql as $$
declare
  is_referenced boolean;
begin
  perform require_read_committed();
  execute format('select exists (select from businesses where %I = $1)', tg_argv[0])
  into is_referenced using old.id;
  if is_referenced then
    raise exception using errcode = 'foreign_key_violation',
      message = format('there are businesses of %s in %s', old.slug, tg_table_name);
  end if;
  return null;
end $$;

-- A city that is made again under a slug is another one, of which no page that is kept knows.
drop trigger announce_names on cities;
create trigger announce_names after update or delete on cities
  for each statement execute function announce_names();

-- As in 002, but for the refusal of a parent that comes later in the same statement: its own place in
-- the tree is not yet known.
create or replace function follow_category() returns trigger
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

  if new.parent_id is not null
    and not exists (select from category_ancestors where category_id = new.parent_id)
  then
    raise exception using errcode = 'check_violation',
      message = format('category %s comes before its parent', new.slug);
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
