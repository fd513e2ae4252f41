-- What an operator decides in SQL stands, as with businesses.ts: a business that was set back to pending was published
-- again by a later record that completed it.

-- As before, but a change of status decides what later records may do: an import that withdraws a business says so,
-- and whoever else sets one back to pending wants to review it.
do $do$ begin
  execute format($sql$
    create or replace function touch_business() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $sql$, current_schema(), $body$
begin
  if new.slug <> old.slug or new.id <> old.id then
    raise exception 'the id and the slug of a business never change';
  end if;
  if new.status <> old.status then
    if new.status <> 'pending' then
      new.was_approved := false;
    elsif not new.was_approved then
      new.approve_when_complete := false;
    end if;
  end if;
  new.updated_at := now();
  return new;
end $body$);
end $do$;

-- From now on the mark is taken for an import's withdrawal, so none may be left of an earlier one.
update businesses set was_approved = false where was_approved and status <> 'pending';
