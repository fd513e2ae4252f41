-- Search looks for the cities that a text may name, by their first words: for every search, of all cities.
create index cities_first_word on cities (split_part(slug, '-', 1));
