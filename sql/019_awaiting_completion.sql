-- Why a business of an import is pending: because it lacks something, or because somebody is to look at it.
-- Without this, a later record that completed one of the latter made it public.
alter table businesses
  add column approve_when_complete boolean not null default true; -- an import that completes it approves it
