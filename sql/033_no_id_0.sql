-- Lists and their counts have 0 for "any", and the sequences of ids begin at 1; but COPY, and an insert that overrides
-- them, brought in any id. The businesses of a city 0 were counted twice among those of all cities.
alter table cities add constraint id_is_positive check (id > 0);
alter table categories add constraint id_is_positive check (id > 0);
