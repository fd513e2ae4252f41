-- A statement may move or delete the businesses of a category and the category itself. The lists follow only when
-- all of that is done, in an order that the statement's form decides.

-- As before, but what is said of a category lasts as long as its ancestors are recorded, not only until its row is
-- deleted: in between, businesses that left it stayed in the lists of any category.
create or replace view listing_scopes as
  select category_id as of_category_id, ancestor_id as category_id from category_ancestors
  union all
  select category_id, 0 from category_ancestors where distance = 0;

-- Where the category goes first, its ancestors are gone before the lists follow its businesses, or the branches
-- below it: these would stay in its lists and in those above. So that is refused.
do $do$ begin
  execute format($sql$
    create function refuse_listed_category() returns trigger
    language plpgsql set search_path = %I, pg_temp as %L
  $sql$, current_schema(), $body$
declare
  listed text;
begin
  -- One look into the index for each: a join would read all listings.
  select slug into listed from old_rows
  where (select true from listings where category_id = old_rows.id limit 1)
  limit 1;
  if found then
    raise exception using errcode = 'foreign_key_violation',
      message = format('category %s is deleted before lists have followed its businesses', listed),
      hint = 'Move or delete them, and the categories below it, in a statement of their own before. If that is done, '
        || 'run check-lists.ts --repair: its lists are wrong.';
  end if;
  return null;
end $body$);
end $do$;

-- After keep_referenced_when_deleted, by its name: that businesses are still there says more.
create trigger refuse_listed after delete on categories
  referencing old table as old_rows
  for each statement execute function refuse_listed_category();
