-- The directory: cities, categories as a tree, businesses.

create type business_status as enum ('pending', 'approved', 'rejected', 'suspended');

-- A slug: lower-case letters, digits and single hyphens.
create domain slug as text
  check (value ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(value) <= 120);

create table cities (
  id   integer generated always as identity primary key,
  slug slug not null unique,
  name text not null unique check (name = btrim(name) and name <> '')
);

create table categories (
  id        integer generated always as identity primary key,
  slug      slug not null unique,
  name      text not null check (name = btrim(name) and name <> ''),
  parent_id integer references categories,            -- null: a root of the tree
  is_active boolean not null default true              -- inactive: it and those below are not listed and not filtered by;
                                                       --   their businesses are still to be seen
);
create index categories_parent on categories (parent_id);

-- Every category with itself (distance 0) and each of its ancestors, kept by triggers:
-- "a category with its descendants" is then one join at any depth of the tree.
create table category_ancestors (
  category_id integer not null references categories on delete cascade,
  ancestor_id integer not null references categories on delete cascade,
  distance    integer not null check (distance >= 0),
  primary key (category_id, ancestor_id)
);
create index category_ancestors_ancestor on category_ancestors (ancestor_id);

-- [{url, caption, isCover}], at most one cover.
create function is_photo_list(photos jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(photos) = 'array'
  and not exists (
    select from jsonb_array_elements(photos) as photo
    where not coalesce(
      jsonb_typeof(photo -> 'url') = 'string'
        and photo ->> 'url' ~ '^https?://'
        and jsonb_typeof(photo -> 'caption') = 'string'
        and jsonb_typeof(photo -> 'isCover') = 'boolean', false))
  and (select count(*) from jsonb_array_elements(photos) as photo where photo -> 'isCover' = 'true') <= 1;

-- [{day, openTime, closeTime, isClosed, is24Hours}], several entries a day allowed; a closeTime
-- not after its openTime is past midnight. A day that is closed or open all day has no times ('').
create function is_opening_hours(hours jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(hours) = 'array'
  and not exists (
    select from jsonb_array_elements(hours) as entry
    where not coalesce(
      entry ->> 'day' in ('MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY')
        and jsonb_typeof(entry -> 'isClosed') = 'boolean'
        and jsonb_typeof(entry -> 'is24Hours') = 'boolean'
        and case
          when entry -> 'isClosed' = 'true' or entry -> 'is24Hours' = 'true' then
            entry -> 'isClosed' <> entry -> 'is24Hours'
              and entry ->> 'openTime' = '' and entry ->> 'closeTime' = ''
          else
            entry ->> 'openTime' ~ '^([01]\d|2[0-3]):[0-5]\d$'
              and entry ->> 'closeTime' ~ '^([01]\d|2[0-3]):[0-5]\d$'
        end, false));

create table businesses (
  id                uuid primary key default uuidv7(),
  slug              slug not null unique,               -- never changes once given
  source            text not null default 'manual',     -- who says so: one name for each feed
  source_id         text not null default uuidv7()::text, -- how the source calls it
  status            business_status not null default 'pending',
  name              text not null check (name = btrim(name) and name <> '' and length(name) <= 200),
  category_id       integer references categories,
  city_id           integer references cities,
  short_description text not null default '',
  description       text not null default '',
  address_line1     text not null default '',
  address_line2     text check (address_line2 <> ''),   -- null: none
  postcode          text not null default ''            -- '' or as the Royal Mail writes it: 'NR2 1LL'
    check (postcode = '' or postcode ~ '^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$'),
  latitude          double precision check (latitude between -90 and 90),     -- WGS 84 degrees
  longitude         double precision check (longitude between -180 and 180),
  phone             text not null default '',           -- national format, '' for none
  email             text not null default '',
  website           text not null default '' check (website = '' or website ~ '^https?://'),
  rating            numeric(3, 2) not null default 0 check (rating between 0 and 5), -- 0: not rated
  review_count      integer not null default 0 check (review_count >= 0),
  is_claimed        boolean not null default false,
  is_verified       boolean not null default false,
  is_premium        boolean not null default false,
  photos            jsonb not null default '[]' check (photos = '[]' or is_photo_list(photos)),
  opening_hours     jsonb not null default '[]'         -- a text since 015
    check (opening_hours = '[]' or is_opening_hours(opening_hours)),
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),

  -- The order of every list as one number, smallest first: premium, then rating, then reviews.
  -- One bit, nine bits of hundredths (0 to 500), 31 bits.
  list_rank bigint not null generated always as (
    ((not is_premium)::integer::bigint << 40)
      | ((500 - (rating * 100)::integer)::bigint << 31)
      | (2147483647 - review_count)::bigint
  ) stored,

  unique (source, source_id),
  check ((latitude is null) = (longitude is null)),
  constraint approved_is_complete check (
    status <> 'approved'
      or (category_id is not null and city_id is not null and address_line1 <> ''
          and postcode <> '' and latitude is not null))
);
