-- The last write of usage by each server process. When the answer to a write is lost, nobody knows whether
-- it was done: so it is sent again under its number, and done only if it has not been.
create table usage_writes (
  writer     uuid primary key,                   -- a server process
  number     bigint not null,                    -- of its last write; each has a higher one
  written_at timestamptz not null default now()
);
