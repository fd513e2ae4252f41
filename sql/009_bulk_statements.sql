-- Loading by the hundred thousand again: what a statement of many rows costs beside its rows.

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
    ),
    in_cities as (
      select category_id, city_id, count(*) as size from listed group by 1, 2
    ),
    -- Most scopes are one chunk, for which the chunk of each row need not be looked up.
    scopes as materialized (
      select scope.*, coalesce(split.is_split, false) as is_split
      from (
          select * from in_cities
          union all
          select category_id, 0, sum(size) from in_cities group by 1
        ) as scope
        left join lateral (
          select true as is_split
          from listing_counts as k
          where k.category_id = scope.category_id and k.city_id = scope.city_id
            and (k.from_rank, k.from_id) > (0, '00000000-0000-0000-0000-000000000000')
          order by k.from_rank, k.from_id
          limit 1
        ) as split on true
    )
    insert into listing_counts (category_id, city_id, from_rank, from_id, change)
    select category_id, city_id, 0, '00000000-0000-0000-0000-000000000000', size
    from scopes where not is_split
    union all
    select scopes.category_id, scopes.city_id,
      coalesce(chunk.from_rank, 0), coalesce(chunk.from_id, '00000000-0000-0000-0000-000000000000'),
      count(*)
    from listed
      cross join lateral (values (0), (listed.city_id)) as city (id)
      join scopes on (scopes.category_id, scopes.city_id) = (listed.category_id, city.id)
      left join lateral (
        select k.from_rank, k.from_id
        from listing_counts as k
        where k.category_id = scopes.category_id and k.city_id = scopes.city_id
          and (k.from_rank, k.from_id) <= (listed.list_rank, listed.business_id)
        order by k.from_rank desc, k.from_id desc
        limit 1
      ) as chunk on true
    where scopes.is_split
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

-- See sql/008_announcements.sql.
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
    changes := array(
      select jsonb_build_array(n.slug, n.id,
        listed_place(o.status, o.city_id, o.list_rank, o.category_id),
        listed_place(n.status, n.city_id, n.list_rank, n.category_id))
      from old_rows as o join new_rows as n on n.id = o.id
      where 'approved' in (o.status, n.status)
      limit most_changes + 1);
  end if;

  if cardinality(changes) > most_changes then
    perform pg_notify('directory_pages', '*');
    return null;
  end if;
  for start in 1 .. cardinality(changes) by changes_in_payload loop
    payload := to_jsonb(changes[start : start + changes_in_payload - 1])::text;
    -- PostgreSQL takes payloads of less than 8,000 bytes.
    perform pg_notify('directory_pages', case when octet_length(payload) < 8000 then payload else '*' end);
  end loop;
  return null;
end $$;
