-- Loading into a directory that is large already: where the chunks begin, apart from their changes.

-- Each chunk but the first of its list has one folded row from the moment it is split off, and
-- keeps one until it is dropped. The index of all changes is many times as large while there is
-- much to fold, as after each statement of a load.
create index listing_counts_borders on listing_counts (category_id, city_id, from_rank, from_id) where is_folded;

-- As before, but the chunk of a row is looked up among the borders.
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

