-- Times that servers and commands cannot read: infinity, years before 1, and many of long ago; those after 9999 have six
-- digits in JSON. One business that was updated at such a time left its sitemap file, of 10,000, without an answer; a key
-- that had expired then was let in; and one that expired at infinity, instead of never, kept keys.ts from listing any.

-- Null where there is no time.
create function is_from_1970_to_9999(moment timestamptz) returns boolean
language sql immutable parallel safe
return moment >= '1970-01-01 00:00Z' and moment < '10000-01-01 00:00Z';

update businesses set updated_at = now() where not is_from_1970_to_9999(updated_at);
-- Written out, since a function would be read and planned anew by each statement; and not valid, so that nobody waits
-- until all businesses have been read once more.
alter table businesses
  add constraint updated_at_is_from_1970_to_9999
    check (updated_at >= '1970-01-01 00:00Z' and updated_at < '10000-01-01 00:00Z') not valid;

-- What has expired stays so, and what was to expire later never does.
update api_keys set expires_at = case when expires_at < now() then 'epoch'::timestamptz end
where not is_from_1970_to_9999(expires_at);
update api_keys set created_at = now() where not is_from_1970_to_9999(created_at);
update api_keys set revoked_at = now() where not is_from_1970_to_9999(revoked_at);
-- Keys that were changed are counted now instead of at the commit: a table with such work left is not altered.
set constraints all immediate;
alter table api_keys
  add constraint expires_at_is_from_1970_to_9999 check (is_from_1970_to_9999(expires_at)),
  add constraint created_at_is_from_1970_to_9999 check (is_from_1970_to_9999(created_at)),
  add constraint revoked_at_is_from_1970_to_9999 check (is_from_1970_to_9999(revoked_at));

-- An application has the expiry of the key to come.
update applications set key_expires_at = case when key_expires_at < now() then 'epoch'::timestamptz end
where not is_from_1970_to_9999(key_expires_at);
update applications set created_at = now() where not is_from_1970_to_9999(created_at);
alter table applications
  add constraint key_expires_at_is_from_1970_to_9999 check (is_from_1970_to_9999(key_expires_at)),
  add constraint created_at_is_from_1970_to_9999 check (is_from_1970_to_9999(created_at));
