-- Gives back what admit-keys.lua charged, as long as its month is still being counted.
--
-- KEYS[1]  hash of the key's meter, see admit-keys.lua
-- ARGV[1]  month of the charge, as 202611
-- ARGV[2]  requests to give back
-- Answer   1 when given back, 0 when the month is over or the meter gone
--
-- Atomic, because a charge between reading and writing would be lost.

-- The unit of `tokens`, as in admit-keys.lua.
local TOKEN = 60000000

local key = KEYS[1]
local cost = tonumber(ARGV[2])

local meter = redis.call("HMGET", key, "month", "used", "tokens")
if meter[1] ~= ARGV[1] then
  return 0
end
-- No clock and no capacity: the level is refilled, and cut to the capacity, whenever it is read.
local used = math.max(0, tonumber(meter[2]) - cost)
redis.call("HSET", key, "used", used)
if meter[3] then
  redis.call("HSET", key, "tokens", string.format("%.0f", meter[3] + cost * TOKEN))
end
return 1
