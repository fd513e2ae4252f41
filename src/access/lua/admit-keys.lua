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
--          cost, requests; 0 only reads
-- Answer   now as above, then for each of KEYS four, one after the other:
--            outcome  0 admitted, 1 bucket exhausted, 2 quota used up, 3 meter unknown:
--                     it has to be seeded first, by seed-meters.lua
--            month    as above
--            used     as above, this request included
--            tokens   level of the bucket after it, as above
--
-- Atomic, because two requests that both see the last token must not both take it, and because
-- quota and bucket are one decision.

-- A request in the units of the bucket's level. In these it gains `refill` each microsecond, so all
-- numbers are whole and no rounding errors add up.
local TOKEN = 60000000
local SECOND = 1000000
local DAY = 86400
local METER = ">dddd"

local floor = math.floor

local now = tonumber(ARGV[1])
if not now then
  local clock = redis.call("TIME")
  now = clock[1] * SECOND + clock[2]
end

-- Months are numbered consecutively from March of the year 0, so that a leap day ends its year.
local DAYS_BEFORE_1970 = 719468
local MEAN_MONTH_DAYS = 30.436875

-- Days from 1970 to the first of a month by its number, in the Gregorian calendar.
-- http://howardhinnant.github.io/date_algorithms.html (days_from_civil)
local function first_of(number)
  local year = floor(number / 12)
  local leap_days = floor(year / 4) - floor(year / 100) + floor(year / 400)
  return 365 * year + leap_days + floor((153 * (number % 12) + 2) / 5) - DAYS_BEFORE_1970
end

-- The month, as 202611, of a day since 1970.
local function month_of(day)
  -- An estimate by the mean length, less three days: never a month too late, and at most one too early.
  local number = floor((day + DAYS_BEFORE_1970 - 3) / MEAN_MONTH_DAYS)
  if first_of(number + 1) <= day then
    number = number + 1
  end
  return floor((number + 2) / 12) * 100 + (number + 2) % 12 + 1
end

-- Days from 1970 to the end of a month, as 202611.
local function end_of(month)
  return first_of(floor(month / 100) * 12 + month % 100 - 2)
end

local this_month = month_of(floor(now / SECOND / DAY))

-- Whole seconds until the end of each month in this batch.
local endings = {}
local function seconds_to_end_of(month)
  endings[month] = endings[month] or math.ceil((end_of(month) * DAY * SECOND - now) / SECOND)
  return endings[month]
end

-- Most charges of a batch belong to a few tiers: each distinct text is parsed once.
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

  -- A month later than the clock's means that the clock stepped back: the meter stays in it.
  local month = math.max(this_month, meter_month)
  local used = meter_month == month and meter_used or 0
  local tokens = capacity
  if meter_time > 0 then
    tokens = math.min(capacity, meter_tokens + math.max(0, now - meter_time) * refill)
  end
  -- Until the month is over and the bucket full again: from then on a new meter is equivalent.
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
    -- The clock stepped back. This is all that a refusal writes: without it, nothing would be refilled
    -- until the clock has caught up.
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
