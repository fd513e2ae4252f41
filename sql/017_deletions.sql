-- Whether what is deleted has businesses, which are read once for each statement. As in 013 they were read
-- once for each row: hours for the thousands of cities that a mistaken import leaves behind.
do $do$ begin
  execute format($sql$
    create function keep_referenced_when_deleted() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $sql$, current_schema(), $body$
declare
  referenced text;
begin
  -- In a snapshot of before, the businesses that came since would be missed.
  perform require_read_committed();
  execute format('select slug from old_rows where id in (select %I from businesses) limit 1', tg_argv[0])
  into referenced;
  if referenced is not null then
    raise exception using errcode = 'foreign_key_violation',
      message = format('there are businesses of %s in %s', referenced, tg_table_name);
  end if;
  return null;
end $body$);
end $do$;

drop trigger keep_referenced on categories;
create trigger keep_referenced after update of id on categories
  for each row execute function keep_referenced('category_id');
create trigger keep_referenced_when_deleted after delete on categories
  referencing old table as old_rows
  for each statement execute function keep_referenced_when_deleted('category_id');

drop trigger keep_referenced on cities;
create trigger keep_referenced after update of id on cities
  for each row execute function keep_referenced('city_id');
create trigger keep_referenced_when_deleted after delete on cities
  referencing old table as old_rows
  for each statement execute function keep_referenced_when_deleted('city_id');
