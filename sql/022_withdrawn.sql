-- Why a business of an import is pending: perhaps it was approved, until a record took away what it needs.
-- Without this, an import of pending businesses could not tell it from one that was never public, and kept it
-- pending however complete a later record made it.
alter table businesses
  add column was_approved boolean not null default false; -- pending since a record took away what it needs
