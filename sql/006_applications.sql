-- Applications for keys get a private page: its address is the secret that stands for an account.

alter table applications
  add column token_hash    bytea unique check (length(token_hash) = 32), -- SHA-256 of the token in that address; null: no page
  add column decided_at    timestamptz,
  add column declined_why  text check (length(declined_why) <= 2000), -- told to the applicant
  add column tier          slug references tiers on update cascade,  -- this to burst: the rights of the key to come
  add column key_expires_at timestamptz,
  add column quota         integer check (quota > 0),
  add column per_minute    integer check (per_minute > 0),
  add column burst         integer check (burst > 0),
  add column key_id        uuid unique references api_keys,          -- the first key; null until it is revealed
  add constraint enterprise_is_agreed check (
    tier <> 'enterprise' or (quota is not null and per_minute is not null and burst is not null)),
  add constraint approved_has_tier check (status <> 'approved' or tier is not null) not valid,
  add constraint declined_says_why check (status <> 'declined' or declined_why is not null) not valid,
  add constraint only_approved_has_key check (key_id is null or status = 'approved');

-- A key with all that it was rolled to.
create index api_keys_meter on api_keys (meter_id, created_at);
