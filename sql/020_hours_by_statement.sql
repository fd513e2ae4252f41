-- Opening hours are checked once for each text that a statement brings, no longer once for each row: there
-- are few different ones, and to read a regular expression of that length took a tenth of a bulk load.

create function is_opening_hours(hours text) returns boolean
language sql immutable parallel safe
return hours = '' or (hours || '; ') ~
  '^((Mo|Tu|We|Th|Fr|Sa|Su)(-(Mo|Tu|We|Th|Fr|Sa|Su))? (off|00:00-24:00|([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9])(,(off|00:00-24:00|([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]))*; )+$';

alter table businesses drop constraint businesses_opening_hours_check;

do $do$ begin
  execute format($sql$
    create function check_opening_hours() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $sql$, current_schema(), $body$
declare
  wrong text;
begin
  -- Materialized, or the rows would be checked before those that are alike are left out.
  with given as materialized (select distinct opening_hours from new_rows)
  select opening_hours into wrong from given where not is_opening_hours(opening_hours) limit 1;
  if found then
    raise exception using errcode = 'check_violation',
      message = format('these are no opening hours: %s', wrong),
      hint = 'Write them like this: Mo-Fr 09:00-13:00,14:00-17:30; Sa 00:00-24:00; Su off';
  end if;
  return null;
end $body$);
end $do$;

create trigger check_inserted after insert on businesses
  referencing new table as new_rows
  for each statement execute function check_opening_hours();
create trigger check_updated after update on businesses
  referencing new table as new_rows
  for each statement execute function check_opening_hours();
