-- Sliding window log: at most `limit` admissions of one client in any `window`. Decides a batch, in
-- order, each as if it had come alone; a client may occur any number of times.
--
-- KEYS[i]  string, a client's last admissions: big-endian doubles of eight bytes, oldest first,
--          microseconds since 1970
-- ARGV[1]  now, microseconds since 1970; tests only, empty for Redis's own clock
-- ARGV[2]  limit
-- ARGV[3]  window, microseconds
-- Answer   for each of KEYS 0 when admitted, else microseconds until there is room again
--
-- Atomic, because checking for room and taking it must be one step.

local DOUBLE = ">d"
local WIDTH = 8

local now = tonumber(ARGV[1])
local limit = tonumber(ARGV[2])
local window = tonumber(ARGV[3])
if not now then
  local time = redis.call("TIME")
  now = time[1] * 1000000 + time[2]
end
local this_time = struct.pack(DOUBLE, now)
local ttl = math.ceil(window / 1000)

-- The clock stepped back: shifts a log, keeping its intervals, so that the newest admission is now. In
-- truth it came earlier, so nobody gains by it, and nobody waits for longer than a window.
local function moved(log)
  local newest = struct.unpack(DOUBLE, log, #log - WIDTH + 1)
  local times = {}
  for start = 1, #log, WIDTH do
    times[#times + 1] = struct.pack(DOUBLE, struct.unpack(DOUBLE, log, start) - newest + now)
  end
  return table.concat(times)
end

local function admit(key)
  local log = redis.call("GET", key) or ""
  local length = #log
  if length > 0 and struct.unpack(DOUBLE, log, length - WIDTH + 1) > now then
    log = moved(log)
    redis.call("SET", key, log, "PX", ttl)
  end

  -- There is room once the admission `limit` places back has left the window.
  if length >= limit * WIDTH then
    local oldest = struct.unpack(DOUBLE, log, length - limit * WIDTH + 1)
    if now - oldest < window then
      redis.call("PEXPIRE", key, ttl, "NX") -- repairs a lost expiry, else changes nothing
      return oldest + window - now
    end
    log = string.sub(log, length - (limit - 1) * WIDTH + 1)
  end
  redis.call("SET", key, log .. this_time, "PX", ttl)
  return 0
end

local answer = {}
for index, key in ipairs(KEYS) do
  answer[index] = admit(key)
end
return answer
