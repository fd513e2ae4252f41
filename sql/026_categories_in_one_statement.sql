-- A statement may bring a category together with businesses of it, by the id that the category is to have. Where the
-- category comes last, its ancestors are not recorded yet when the lists follow its businesses, and these came into no
-- list. So that is refused.

-- As in 007, but for a business a category exists once its ancestors are recorded, itself among them.
create or replace function hold_references(category_ids integer[], city_ids integer[]) returns void
language plpgsql as $$
begin
  perform from categories where id = any (category_ids) order by id for key share;
  if (select count(*) from category_ancestors where category_id = any (category_ids) and distance = 0)
    < cardinality(category_ids)
  then
    raise exception using errcode = 'foreign_key_violation', message = 'a business needs a category that exists',
      hint = 'Insert the category before, in a statement of its own.';
  end if;
  perform from cities where id = any (city_ids) order by id for key share;
  if (select count(*) from cities where id = any (city_ids)) < cardinality(city_ids) then
    raise exception using errcode = 'foreign_key_violation', message = 'a business needs a city that exists';
  end if;
end $$;
