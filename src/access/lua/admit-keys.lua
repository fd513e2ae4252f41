-- Token bucket and monthly quota of a key, charged together or not at all. Decides a batch, in order,
-- each as if it had come alone; a meter may occur any number of times.
--
-- KEYS[i]  string, a key's meter: four big-endian doubles
--            month   calendar month in UTC that `used` counts, as 202611
--            used    requests charged in it
--            tokens  level of the bucket, in sixty-millionths of a request
--            time    when that was the level, microseconds since 1970; 0 while the bucket is full
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- Then for each of KEYS one with four numbers, spaces between them:
--          quota, requests in a calendar month
--          capacity of the bucket, requests
--          refill, requests per minute
--          cost, requests; 0 only looks
-- Answer   now as above, then for each of KEYS four, one after the other:
--            outcome  0 admitted, 1 bucket exhausted, 2 quota used up, 3 meter unknown: whether
--                     anything was used is for seed-meters.lua to say first
--            month    as above
--            used     as above, this request included
--            tokens   level of the bucket after it, as above
--
-- Atomic, because two requests that both see the last token must not both take it, and because
-- quota and bucket are one decision.

-- A request in the parts that the bucket counts. In this unit it gains `refill` each microsecond,
-- so all numbers are whole and no rounding adds up.
local TOKEN = 60000000
local SECOND = 1000000
local DAY = 86400
local METER = ">dddd"

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

-- Whole seconds until each month that came up is over.
local endings = {}
local function seconds_to_end_of(month)
  endings[month] = endings[month] or math.ceil((end_of(month) * DAY * SECOND - now) / SECOND)
  return endings[month]
end

-- Most charges of a batch are of a few tiers: what they say is read once.
local charges = {}
local function read_charge(text)
  local charge = charges[text]
  if not charge then
    local quota, capacity, refill, cost = string.match(text, "(%d+) (%d+) (%d+) (%d+)")
    charge = {
      quota = tonumber(quota),
      capacity = tonumber(capacity) * TOKEN,
      refill = tonumber(refill),
      cost = tonumber(cost),
    }
    charges[text] = charge
  end
  return charge
end

local function admit(key, charge)
  local stored = redis.call("GET", key)
  if not stored then
    return 3, this_month, 0, 0
  end
  local meter_month, meter_used, meter_tokens, meter_time = struct.unpack(METER, stored)
  local capacity, refill, cost = charge.capacity, charge.refill, charge.cost

  -- A later month than the clock's means that the clock stepped back: it goes on counting.
  local month = math.max(this_month, meter_month)
  local used = meter_month == month and meter_used or 0
  local tokens = capacity
  if meter_time > 0 then
    tokens = math.min(capacity, meter_tokens + math.max(0, now - meter_time) * refill)
  end
  -- Until the month is over and the bucket full again: from then on a new meter is the same.
  local ttl = seconds_to_end_of(month) + math.ceil(capacity / refill / SECOND)

  local outcome = 0
  if used + cost > charge.quota and cost > 0 then
    outcome = 2
  elseif tokens < cost * TOKEN then
    outcome = 1
  end

  if outcome == 0 and cost > 0 then
    used = used + cost
    tokens = tokens - cost * TOKEN
    redis.call("SET", key, struct.pack(METER, month, used, tokens, now), "EX", ttl)
  elseif meter_time > now then
    -- The clock stepped back. A refusal writes nothing but this, without which nothing would be
    -- refilled until the clock is where it was.
    local stopped = struct.pack(METER, meter_month, meter_used, meter_tokens, now)
    redis.call("SET", key, stopped, "EX", ttl)
  else
    redis.call("EXPIRE", key, ttl, "NX") -- repairs a lost expiry, else changes nothing
  end
  return outcome, month, used, tokens
end

local answer = { now }
for index, key in ipairs(KEYS) do
  local outcome, month, used, tokens = admit(key, read_charge(ARGV[index + 1]))
  local last = index * 4 - 3
  answer[last + 1] = outcome
  answer[last + 2] = month
  answer[last + 3] = used
  answer[last + 4] = tokens
end
return answer
