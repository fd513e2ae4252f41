-- Names of cities and categories are as long as an import accepts, like those of businesses. Search repeats the words of
-- a city for each of its places in a query: with the names of cities that SQL had filled with descriptions, requests to
-- Meilisearch grew beyond what it accepts, and no change of any business got into the index any more.
-- Those that are there may be longer, until they are changed.
alter table cities add constraint name_is_not_too_long check (length(name) <= 200) not valid;
alter table categories add constraint name_is_not_too_long check (length(name) <= 200) not valid;
