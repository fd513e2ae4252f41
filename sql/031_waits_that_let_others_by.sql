-- A category that was added or moved, an import of categories and a repair waited for whoever was changing businesses,
-- and all who came to change others queued behind them: takedowns, too, for as long as an import ran.

-- Waits in attempts; after each, those who queued behind it get their turn. An attempt is long enough for PostgreSQL
-- to look for a deadlock, and they come at random, so that two which wait for each other do not miss each other for
-- ever. If the session has a lock_timeout, it limits the whole wait.
create function hold_chunk_borders_alone() returns void
language plpgsql as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
  deadline constant timestamptz := clock_timestamp() + nullif(lock_timeout, '0')::interval;
  attempt constant interval := current_setting('deadlock_timeout')::interval + interval '200 ms';
begin
  loop
    begin
      -- Not 0, which would be no limit.
      perform set_config(
        'lock_timeout',
        extract(epoch from greatest(least(attempt, deadline - clock_timestamp()), interval '1 ms')) || 's',
        true);
      perform pg_advisory_xact_lock(chunk_borders_lock());
      perform set_config('lock_timeout', lock_timeout, true);
      return;
    exception when lock_not_available then
      if clock_timestamp() > deadline - interval '1 ms' then
        raise;
      end if;
      perform pg_sleep(least(0.5 + random() / 2, extract(epoch from deadline - clock_timestamp())));
    end;
  end loop;
end $$;

-- As in 013, but for how it waits.
do $do$ begin
  execute format($format$
    create or replace function follow_category() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $format$, current_schema(), $body$
declare
  ancestors_before integer[] := '{}';
  ancestors_after  integer[] := '{}';
begin
  perform require_read_committed();
  -- Alone: two moves at once could make a circle that neither sees, and listings that are written
  -- meanwhile would follow the old ancestors.
  perform hold_chunk_borders_alone();
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
end $body$);
end $do$;
