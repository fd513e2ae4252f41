-- Tells every server which approved businesses a committed statement touched, so that it drops what
-- it keeps of finished answers when, and only when, that is no longer true.
--
-- The channel is `directory_pages`. A payload is `*` when too much changed to be told one by one,
-- or a JSON array of changes [slug, id, before, after]. `before` and `after` are null for "not
-- listed" or [city_id, list_rank, category_id …], the business's own category and all above it.

create function listed_place(
  status business_status, city_id integer, list_rank bigint, category_id integer
) returns jsonb
language sql stable as $$
  select jsonb_build_array(city_id, list_rank) || jsonb_agg(a.ancestor_id)
  from category_ancestors as a
  where a.category_id = listed_place.category_id and status = 'approved'
  having count(*) > 0
$$;

create function announce_businesses() returns trigger
language plpgsql as $$
declare
  -- Of more than these there is little left that is still true.
  most_changes constant integer := 500;
  changes_in_payload constant integer := 20;
  changes jsonb[];
  payload text;
begin
  if tg_op = 'INSERT' then
    changes := array(
      select jsonb_build_array(slug, id, null, listed_place(status, city_id, list_rank, category_id))
      from new_rows where status = 'approved'
      limit most_changes + 1);
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

create trigger announce_insert after insert on businesses
  referencing new table as new_rows for each statement execute function announce_businesses();
create trigger announce_update after update on businesses
  referencing old table as old_rows new table as new_rows for each statement execute function announce_businesses();
create trigger announce_delete after delete on businesses
  referencing old table as old_rows for each statement execute function announce_businesses();

-- Their names and their tree are in every list and detail.
create function announce_names() returns trigger
language plpgsql as $$
begin
  perform pg_notify('directory_pages', '*');
  return null;
end $$;
create trigger announce_names after insert or update or delete on categories
  for each statement execute function announce_names();
create trigger announce_names after update on cities
  for each statement execute function announce_names();
