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

-- Each meter is read once and written once, however often the batch has it: { month, used, tokens,
-- time, ttl, isCharged, isRepaired }, and false when Redis does not know it.
local meters = {}

local function read(key)
  local stored = redis.call("HMGET", key, "month", "used", "tokens", "time")
  return stored[1] and {
    month = tonumber(stored[1]),
    used = tonumber(stored[2]),
    tokens = tonumber(stored[3]),
    time = tonumber(stored[4]),
  }
end

local function write(key, meter)
  if meter.isCharged then
    redis.call("HSET", key, "month", meter.month, "used", meter.used,
      "tokens", string.format("%.0f", meter.tokens), "time", string.format("%.0f", meter.time))
    redis.call("EXPIRE", key, meter.ttl)
  elseif meter.ttl then
    if meter.isRepaired then
      redis.call("HSET", key, "time", string.format("%.0f", meter.time))
    end
    redis.call("EXPIRE", key, meter.ttl, "NX")
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

local function admit(key, quota, capacity, refill, cost)
  local function seconds_to_gain(parts)
    return math.max(1, math.ceil(parts / refill / SECOND))
  end

  if meters[key] == nil then
    meters[key] = read(key)
  end
  local meter = meters[key]
  if not meter then
    return say(3, 0, this_month, 0, 0, 0, 0)
  end
  -- A later month than the clock's means that the clock stepped back: it goes on counting.
  local month = math.max(this_month, meter.month)
  local used = meter.month == month and meter.used or 0
  local month_ends = math.ceil((end_of(month) * DAY * SECOND - now) / SECOND)

  local tokens = capacity
  if meter.time then
    tokens = math.min(capacity, meter.tokens + math.max(0, now - meter.time) * refill)
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
    meter.month, meter.used, meter.tokens, meter.time = month, used, tokens, now
    meter.ttl, meter.isCharged = ttl, true
  elseif meter.time then
    -- Repairs, else a refusal writes nothing: a time that lies ahead would stop the refill until the
    -- clock gets there, and a meter without an expiry would stay for ever.
    if meter.time > now then
      meter.time, meter.isRepaired = now, true
    end
    meter.ttl = meter.ttl or ttl
  end

  say(outcome, retry_after, month, used, month_ends,
    math.floor(tokens / TOKEN), seconds_to_gain(TOKEN - tokens % TOKEN))
end

for index, key in ipairs(KEYS) do
  local first = index * 4 - 2
  admit(key, tonumber(ARGV[first]), tonumber(ARGV[first + 1]) * TOKEN, tonumber(ARGV[first + 2]),
    tonumber(ARGV[first + 3]))
end
for key, meter in pairs(meters) do
  if meter then
    write(key, meter)
  end
end
return answer
