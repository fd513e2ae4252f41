-- Sliding window log: at most `limit` admissions in any `window` of one client. Decides a batch, in
-- order, each as if it had come alone; a client may occur any number of times.
--
-- KEYS[i]  list of a client's last admissions, oldest first, microseconds since 1970
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- ARGV[2]  limit
-- ARGV[3]  window, microseconds
-- Answer   for each of KEYS 0 when admitted, else microseconds until there is room again
--
-- Atomic, because whoever looks whether there is room must take it before the next one looks.

local now = tonumber(ARGV[1])
local limit = tonumber(ARGV[2])
local window = tonumber(ARGV[3])
if not now then
  local time = redis.call("TIME")
  now = time[1] * 1000000 + time[2]
end
local ttl = math.ceil(window / 1000)

-- A Lua number of 16 digits would be written as 1.7e+15.
local function text(time)
  return string.format("%.0f", time)
end

local function admit(key)
  -- The clock stepped back: move the log along, its spaces kept, as if the newest were of now. That
  -- is later than the truth, so nobody gains by it, and nobody waits for longer than a window.
  local newest = tonumber(redis.call("LINDEX", key, -1))
  if newest and newest > now then
    local log = redis.call("LRANGE", key, 0, -1)
    for index, time in ipairs(log) do
      redis.call("LSET", key, index - 1, text(time - newest + now))
    end
  end

  -- There is room when the admission that is `limit` places back has left the window.
  local oldest = tonumber(redis.call("LINDEX", key, -limit))
  if oldest and now - oldest < window then
    redis.call("PEXPIRE", key, ttl, "NX") -- repairs a lost expiry, else changes nothing
    return oldest + window - now
  end

  redis.call("RPUSH", key, text(now))
  redis.call("LTRIM", key, -limit, -1)
  redis.call("PEXPIRE", key, ttl)
  return 0
end

local answer = {}
for index, key in ipairs(KEYS) do
  answer[index] = admit(key)
end
return answer
