-- Token bucket and monthly quota of a key, charged together or not at all. Decides a batch, in order,
-- each as if it had come alone; a meter may occur any number of times.
--
-- KEYS[i]  string, a key's meter: four big-endian doubles
--            month   calendar month in UTC that `used` counts, as 202611
--            used    requests charged in it
--            tokens  level of the bucket, in sixty-millionths of a request
--            time    when that was the level, microseconds since 1970; 0 while the bucket is full
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

local function seconds_to_gain(parts, refill)
  return math.max(1, math.ceil(parts / refill / SECOND))
end

-- Each meter is read once and written once, however often the batch has it. False when Redis does
-- not know it.
local meters = {}
for index, stored in ipairs(redis.call("MGET", unpack(KEYS))) do
  local meter = false
  if stored then
    local month, used, tokens, time = struct.unpack(METER, stored)
    meter = { month = month, used = used, tokens = tokens, time = time }
  end
  meters[KEYS[index]] = meter
end

local function write(key, meter)
  if meter.is_changed then
    local stored = struct.pack(METER, meter.month, meter.used, meter.tokens, meter.time)
    redis.call("SET", key, stored, "EX", meter.ttl)
  elseif meter.ttl then
    redis.call("EXPIRE", key, meter.ttl, "NX") -- repairs a lost expiry, else changes nothing
  end
end

local answer = {}
local function say(outcome, retry_after, month, used, month_ends, tokens, next_token)
  local last = #answer
  answer[last + 1] = outcome
  answer[last + 2] = retry_after
  answer[last + 3] = month
  answer[last + 4] = used
  answer[last + 5] = month_ends
  answer[last + 6] = tokens
  answer[last + 7] = next_token
end

local function admit(meter, quota, capacity, refill, cost)
  if not meter then
    return say(3, 0, this_month, 0, 0, 0, 0)
  end
  -- A later month than the clock's means that the clock stepped back: it goes on counting.
  local month = math.max(this_month, meter.month)
  local used = meter.month == month and meter.used or 0
  local month_ends = seconds_to_end_of(month)

  local tokens = capacity
  if meter.time > 0 then
    tokens = math.min(capacity, meter.tokens + math.max(0, now - meter.time) * refill)
  end

  local outcome = 0
  local retry_after = 0
  if used + cost > quota and cost > 0 then
    outcome = 2
    retry_after = month_ends
  elseif tokens < cost * TOKEN then
    outcome = 1
    retry_after = seconds_to_gain(cost * TOKEN - tokens, refill)
  end

  if outcome == 0 and cost > 0 then
    used = used + cost
    tokens = tokens - cost * TOKEN
    meter.month, meter.used, meter.tokens, meter.time = month, used, tokens, now
    meter.is_changed = true
  elseif meter.time > now then
    -- A refusal writes nothing but this: the refill would stop until the clock gets there.
    meter.time, meter.is_changed = now, true
  end
  -- Until the month is over and the bucket full again: from then on a new meter is the same.
  meter.ttl = month_ends + math.ceil(capacity / refill / SECOND)

  say(outcome, retry_after, month, used, month_ends,
    math.floor(tokens / TOKEN), seconds_to_gain(TOKEN - tokens % TOKEN, refill))
end

for index, key in ipairs(KEYS) do
  local first = index * 4 - 2
  admit(meters[key], tonumber(ARGV[first]), tonumber(ARGV[first + 1]) * TOKEN,
    tonumber(ARGV[first + 2]), tonumber(ARGV[first + 3]))
end
for key, meter in pairs(meters) do
  if meter then
    write(key, meter)
  end
end
return answer
