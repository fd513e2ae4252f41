-- A statement was announced even if it changed no key, and each announcement has all servers look up every key again.
-- Anyone who had applied for a key could cause as many as they liked: by asking for one that is not approved yet, or
-- has been shown already.

drop trigger announce on api_keys;
drop trigger announce on tiers;
-- However many rows a transaction changes, PostgreSQL sends equal notifications once.
create trigger announce after insert or update or delete on api_keys
  for each row execute function announce_keys();
create trigger announce after insert or update or delete on tiers
  for each row execute function announce_keys();
create trigger announce_truncation after truncate on api_keys
  for each statement execute function announce_keys();
create trigger announce_truncation after truncate on tiers
  for each statement execute function announce_keys();
