-- Refunds a request that admit-keys.lua charged, as long as its month is still being counted.
--
-- KEYS[1]  the key's meter, see admit-keys.lua
-- ARGV[1]  month of the charge, as 202611
-- Answer   none
--
-- Atomic, because a charge between reading and writing would be lost.

-- As in admit-keys.lua.
local TOKEN = 60000000
local METER = ">dddd"

local key = KEYS[1]
local charged_month = tonumber(ARGV[1])

local stored = redis.call("GET", key)
if not stored then
  return
end
local month, used, tokens, time = struct.unpack(METER, stored)
if month ~= charged_month then
  return
end
-- Needs neither clock nor capacity: the level is refilled, and capped, whenever it is read.
redis.call("SET", key,
  struct.pack(METER, month, math.max(0, used - 1), tokens + TOKEN, time), "KEEPTTL")
