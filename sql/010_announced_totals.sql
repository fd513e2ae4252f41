-- Announcements that let a server correct the totals of what it keeps, instead of dropping it.
--
-- A change is [slug, id, before, after, transaction, number]. By the id of the transaction a server
-- knows whether what it keeps was read before the change or after it. The number makes each payload
-- another one: of equal ones in a transaction PostgreSQL delivers only the first. Both stand last,
-- where a server of an earlier version does not look.

create sequence announced_changes;

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
    -- As text, see follow_businesses.
    execute $sql$
      select array(
        select jsonb_build_array(n.slug, n.id,
          listed_place(o.status, o.city_id, o.list_rank, o.category_id),
          listed_place(n.status, n.city_id, n.list_rank, n.category_id))
        from old_rows as o join new_rows as n on n.id = o.id
        where 'approved' in (o.status, n.status)
        limit $1)
    $sql$ into changes using most_changes + 1;
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
