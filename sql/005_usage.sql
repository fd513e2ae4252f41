-- What keys have used: the memory behind Redis, which may forget.

create table usage (
  meter_id uuid   not null,                  -- api_keys.meter_id
  month    date   not null check (extract(day from month) = 1),
                                            --   the first of the calendar month, UTC
  used     bigint not null,                  -- requests charged less those given back; at most a second behind Redis
  primary key (meter_id, month)
) with (fillfactor = 70);                    -- room for updates in place: no index entry changes
