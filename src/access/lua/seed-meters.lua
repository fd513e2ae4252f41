-- Brings meters up to what was charged without this Redis, which was emptied or down. Only raises
-- counts and lowers buckets, so any number of servers may do it concurrently and repeatedly.
--
-- KEYS[i]  a key's meter, see admit-keys.lua
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- Then for each of KEYS four:
--          month, as 202611
--          used, a lower bound of the requests charged in it
--          refill of the bucket, requests per minute
--          tokens, an upper bound of the whole requests left in the bucket; empty when unknown
-- Answer   none
--
-- Atomic, because a charge between reading and writing would be lost.

-- As in admit-keys.lua.
local TOKEN = 60000000
local SECOND = 1000000
local METER = ">dddd"

-- Lasts until the next admission, which sets the meter's own.
local TTL = 86400

local now = tonumber(ARGV[1])
if not now then
  local clock = redis.call("TIME")
  now = clock[1] * SECOND + clock[2]
end

local function seed(key, seeded_month, seeded_used, refill, tokens_left)
  local month, used, tokens, time = 0, 0, 0, 0
  local stored = redis.call("GET", key)
  if stored then
    month, used, tokens, time = struct.unpack(METER, stored)
  end
  if seeded_month > month or (seeded_month == month and seeded_used > used) then
    month, used = seeded_month, seeded_used
  end
  if tokens_left then
    local level = tokens_left * TOKEN
    if time > 0 then
      level = math.min(level, tokens + math.max(0, now - time) * refill)
    end
    tokens, time = level, now
  end
  redis.call("SET", key, struct.pack(METER, month, used, tokens, time), "KEEPTTL")
  redis.call("EXPIRE", key, TTL, "NX")
end

for index, key in ipairs(KEYS) do
  local first = index * 4 - 2
  seed(key, tonumber(ARGV[first]), tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2]),
    tonumber(ARGV[first + 3]))
end
