-- The functions of triggers name tables without a schema, and looked for them in the search_path of
-- whoever changed something. Where that was another (what pg_dump writes empties it, and postgres_fdw sets
-- its own), every change failed; and a temporary table called `listings` was written to in place of ours.
-- A `create or replace function` forgets this: it has to say it again.
do $do$
declare
  trigger_function regprocedure;
begin
  for trigger_function in
    select unnest(array[
      'announce_businesses()', 'announce_directory()', 'announce_keys()', 'announce_names()',
      'count_change_of_keys()', 'follow_businesses()', 'follow_category()', 'follow_names()',
      'keep_referenced()', 'refuse_truncate()', 'touch_business()'])
  loop
    execute format('alter function %s set search_path = %I, pg_temp', trigger_function, current_schema());
  end loop;
end $do$;
