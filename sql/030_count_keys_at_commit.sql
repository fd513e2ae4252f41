-- Any two changes of keys or tiers waited for each other: the first statement of a transaction locked the one row of
-- keys_version until the commit. While an operator's transaction on a tier was open no key could be revoked, and two
-- transactions that changed keys in different orders could end in a deadlock.

do $do$ begin
  execute format($sql$
    create or replace function count_change_of_keys() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $sql$, current_schema(), $body$
begin
  -- The row stays locked until the change is committed: no number is seen before its change. Once per transaction,
  -- however many rows it changes.
  update keys_version set version = version + 1 where xmin <> pg_current_xact_id()::xid;
  return null;
end $body$);
end $do$;

drop trigger count_change on api_keys;
drop trigger count_change on tiers;
-- Deferred, the lock is the last that a transaction takes, and is kept only while it commits.
create constraint trigger count_change after insert or update or delete on api_keys
  deferrable initially deferred for each row execute function count_change_of_keys();
create constraint trigger count_change after insert or update or delete on tiers
  deferrable initially deferred for each row execute function count_change_of_keys();
create trigger count_truncation after truncate on api_keys
  for each statement execute function count_change_of_keys();
create trigger count_truncation after truncate on tiers
  for each statement execute function count_change_of_keys();
