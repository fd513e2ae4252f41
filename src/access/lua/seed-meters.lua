-- Tells meters what was charged that this Redis does not know of: it was emptied, or away.
-- Raises only, so any number of servers may do it at once, and again.
--
-- KEYS[i]  hash of a key's meter, see admit-keys.lua
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- Then for each of KEYS four:
--          month, as 202611
--          used, requests charged in it at least
--          refill of the bucket, requests per minute
--          tokens, whole requests left in the bucket at most; empty when nothing is known of them
-- Answer   the number of KEYS
--
-- Atomic, because a charge between reading and writing would be lost.

-- As in admit-keys.lua.
local TOKEN = 60000000
local SECOND = 1000000

-- Long enough for the admission that comes next, which sets the meter's own.
local TTL = 86400

local now = tonumber(ARGV[1])
if not now then
  local clock = redis.call("TIME")
  now = clock[1] * SECOND + clock[2]
end

local function seed(key, month, used, refill, tokens)
  local meter = redis.call("HMGET", key, "month", "used", "tokens", "time")
  local known_month = tonumber(meter[1] or 0)
  if month > known_month or (month == known_month and used > tonumber(meter[2])) then
    redis.call("HSET", key, "month", month, "used", used)
  end
  if tokens then
    local level = tokens * TOKEN
    if meter[4] then
      level = math.min(level, meter[3] + math.max(0, now - meter[4]) * refill)
    end
    redis.call("HSET", key, "tokens", string.format("%.0f", level),
      "time", string.format("%.0f", now))
  end
  redis.call("EXPIRE", key, TTL, "NX")
end

for index, key in ipairs(KEYS) do
  local first = index * 4 - 2
  seed(key, tonumber(ARGV[first]), tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2]),
    tonumber(ARGV[first + 3]))
end
return #KEYS
