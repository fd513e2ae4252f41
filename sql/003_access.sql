-- Who may call the keyed API, and how much: tiers, keys, applications for keys.

create table tiers (
  slug          slug primary key,
  name          text not null,
  monthly_quota integer not null check (monthly_quota > 0), -- requests in a calendar month, UTC
  per_minute    integer check (per_minute > 0),             -- requests; null: agreed for each key
  constraint only_enterprise_is_agreed check (slug = 'enterprise' or per_minute is not null)
);

insert into tiers (slug, name, monthly_quota, per_minute) values
  ('developer',  'Developer',      1000,   60),
  ('starter',    'Starter',       10000,  120),
  ('growth',     'Growth',       100000,  600),
  ('enterprise', 'Enterprise',  1000000, null);

create table api_keys (
  id          uuid primary key default uuidv7(),
  meter_id    uuid not null,                                -- whose bucket and quota it draws on:
                                                            --   its own, or that of the key it was rolled from
  key_hash    bytea not null unique check (length(key_hash) = 32), -- SHA-256; the key itself is kept nowhere
  hint        text not null check (length(hint) <= 12),     -- how the key begins, for people to tell keys apart
  name        text not null check (name = btrim(name) and name <> '' and length(name) <= 200),
  email       text not null check (email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and length(email) <= 254),
  tier        slug not null references tiers on update cascade,
  quota       integer check (quota > 0),                    -- this and the next two: instead of the tier's
  per_minute  integer check (per_minute > 0),
  burst       integer check (burst > 0),                    -- capacity of the bucket; null: as per_minute
  created_at  timestamptz not null default now(),
  expires_at  timestamptz,                                  -- null: never
  revoked_at  timestamptz,
  rolled_from uuid unique references api_keys,              -- the key that this one replaces
  constraint enterprise_is_agreed check (
    tier <> 'enterprise' or (quota is not null and per_minute is not null and burst is not null))
);

-- A key with the limits that hold for it now.
create view keys_with_limits as
  select k.*,
    coalesce(k.quota, t.monthly_quota) as quota_in_force,
    coalesce(k.per_minute, t.per_minute) as per_minute_in_force,
    coalesce(k.burst, k.per_minute, t.per_minute) as burst_in_force
  from api_keys as k
    join tiers as t on t.slug = k.tier;

create type application_status as enum ('waiting', 'approved', 'declined');

create table applications (
  id         uuid primary key default uuidv7(),
  name       text not null check (name = btrim(name) and name <> '' and length(name) <= 200),
  email      text not null check (email ~ '^[^[:space:]@]+@[^[:space:]@]+$' and length(email) <= 254),
  purpose    text not null check (length(purpose) <= 2000),
  status     application_status not null default 'waiting',
  created_at timestamptz not null default now()
);
create index applications_waiting on applications (created_at) where status = 'waiting';

-- Servers hold keys in memory. The announcement tells them at once to look again; the number, which
-- they read several times a second, is for when an announcement is lost.
create table keys_version (
  version bigint not null
);
insert into keys_version values (0);

create function announce_keys() returns trigger
language plpgsql as $$
begin
  notify keys_changed;
  return null;
end $$;
create function count_change_of_keys() returns trigger
language plpgsql as $$
begin
  -- The row stays locked until the change is committed: no number is seen before its change.
  update keys_version set version = version + 1;
  return null;
end $$;
create trigger announce after insert or update or delete or truncate on api_keys
  for each statement execute function announce_keys();
create trigger announce after insert or update or delete or truncate on tiers
  for each statement execute function announce_keys();
create trigger count_change after insert or update or delete or truncate on api_keys
  for each statement execute function count_change_of_keys();
create trigger count_change after insert or update or delete or truncate on tiers
  for each statement execute function count_change_of_keys();
