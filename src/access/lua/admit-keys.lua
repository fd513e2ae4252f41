-- Token bucket and monthly quota of a key, charged together or not at all. Decides a batch, in order,
-- each as if it had come alone; a meter may occur any number of times.
--
-- KEYS[i]  hash of a key's meter:
--            month   calendar month in UTC that `used` counts, as 202611
--            used    requests charged in it
--            tokens  level of the bucket, in sixty-millionths of a request; absent while it is full
--            time    when that was the level, microseconds since 1970
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- Then for each of KEYS four:
--          quota, requests in a calendar month
--          capacity of the bucket, requests
--          refill, requests per minute
--          cost, requests; 0 only looks
-- Answer   for each of KEYS seven, one after the other:
--            outcome     0 admitted, 1 bucket exhausted, 2 quota used up, 3 meter unknown: whether
--                        anything was used is for seed-meters.lua to say first
--            retryAfter  whole seconds until the same would be admitted; 0 when admitted
--            month       as above
--            used        as above, this request included
--            monthEnds   whole seconds until the first of the next month
--            tokens      whole requests left in the bucket
--            nextToken   whole seconds until there is one more
--
-- Atomic, because two requests that both see the last token must not both take it, and because
-- quota and bucket are one decision.

-- A request in the parts that the bucket counts. In this unit it gains `refill` each microsecond,
-- so all numbers are whole and no rounding adds up.
local TOKEN = 60000000
local SECOND = 1000000
local DAY = 86400

local now = tonumber(ARGV[1])
if not now then
  local clock = redis.call("TIME")
  now = clock[1] * SECOND + clock[2]
end

-- Proleptic Gregorian calendar. The year begins in March, so that the leap day is its last.
-- http://howardhinnant.github.io/date_algorithms.html (civil_from_days, days_from_civil)
local function month_of(days)
  local z = days + 719468
  local era = math.floor(z / 146097)
  local day_of_era = z - era * 146097
  local year_of_era = math.floor(
    (day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524)
      - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era
    - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local march_month = math.floor((5 * day_of_year + 2) / 153)
  local year = year_of_era + era * 400
  if march_month < 10 then
    return year * 100 + march_month + 3
  end
  return (year + 1) * 100 + march_month - 9
end

-- Days from 1970 to the first of the month after this one.
local function end_of(month)
  local year = math.floor(month / 100)
  local march_month = month % 100 - 2
  if march_month < 0 then
    march_month = march_month + 12
    year = year - 1
  end
  local era = math.floor(year / 400)
  local year_of_era = year - era * 400
  local day_of_year = math.floor((153 * march_month + 2) / 5)
  local day_of_era = year_of_era * 365 + math.floor(year_of_era / 4)
    - math.floor(year_of_era / 100) + day_of_year
  return era * 146097 + day_of_era - 719468
end

local this_month = month_of(math.floor(now / SECOND / DAY))

local answer = {}
local function say(...)
  for _, value in ipairs({ ... }) do
    answer[#answer + 1] = value
  end
end

local function admit(key, quota, capacity, refill, cost)
  local function seconds_to_gain(parts)
    return math.max(1, math.ceil(parts / refill / SECOND))
  end

  local meter = redis.call("HMGET", key, "month", "used", "tokens", "time")
  if not meter[1] then
    return say(3, 0, this_month, 0, 0, 0, 0)
  end
  -- A later month than the clock's means that the clock stepped back: it goes on counting.
  local month = math.max(this_month, tonumber(meter[1]))
  local used = 0
  if tonumber(meter[1]) == month then
    used = tonumber(meter[2])
  end
  local month_ends = math.ceil((end_of(month) * DAY * SECOND - now) / SECOND)

  local tokens = capacity
  local time = tonumber(meter[4])
  if time then
    tokens = math.min(capacity, tonumber(meter[3]) + math.max(0, now - time) * refill)
  end

  local outcome = 0
  local retry_after = 0
  if used + cost > quota and cost > 0 then
    outcome = 2
    retry_after = month_ends
  elseif tokens < cost * TOKEN then
    outcome = 1
    retry_after = seconds_to_gain(cost * TOKEN - tokens)
  end

  -- Until the month is over and the bucket full again: from then on a new meter is the same.
  local ttl = month_ends + math.ceil(capacity / refill / SECOND)
  if outcome == 0 and cost > 0 then
    used = used + cost
    tokens = tokens - cost * TOKEN
    redis.call("HSET", key, "month", month, "used", used,
      "tokens", string.format("%.0f", tokens), "time", string.format("%.0f", now))
    redis.call("EXPIRE", key, ttl)
  elseif time then
    -- Repairs, else a refusal writes nothing: a time that lies ahead would stop the refill until the
    -- clock gets there, and a meter without an expiry would stay for ever.
    if time > now then
      redis.call("HSET", key, "time", string.format("%.0f", now))
    end
    redis.call("EXPIRE", key, ttl, "NX")
  end

  say(outcome, retry_after, month, used, month_ends,
    math.floor(tokens / TOKEN), seconds_to_gain(TOKEN - tokens % TOKEN))
end

for index, key in ipairs(KEYS) do
  local first = index * 4 - 2
  admit(key, tonumber(ARGV[first]), tonumber(ARGV[first + 1]) * TOKEN, tonumber(ARGV[first + 2]),
    tonumber(ARGV[first + 3]))
end
return answer
