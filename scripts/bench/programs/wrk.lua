-- Makes wrk send the recorded requests in order, each from the next caller.
-- Arguments: the file of requests, the position to begin at, and the file of callers; without the
-- latter, the callers are a million addresses. A request is one line, with tabs for line breaks;
-- FILE.order has the line numbers in the order in which they are sent, 32 bits each. A caller is one
-- header line.

local ffi = require("ffi")

local before, after = {}, {}
local bytes, order, length
local callers = {}
local place, caller

local ADDRESSES = 2 ^ 20

local threads = 0
function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

function init(args)
  for line in io.lines(args[1]) do
    local text = line:gsub("\t", "\r\n")
    local head, body = text:match("^(.-)\r\n\r\n(.*)$")
    before[#before + 1] = (head or text) .. "\r\n"
    after[#after + 1] = "\r\n\r\n" .. (body or "")
  end
  -- The string must outlive the pointer to it.
  bytes = io.open(args[1] .. ".order", "rb"):read("*a")
  order = ffi.cast("const uint32_t *", bytes)
  length = #bytes / 4
  if args[3] then
    for line in io.lines(args[3]) do
      callers[#callers + 1] = line
    end
  end
  -- Threads begin at different positions.
  local start = tonumber(args[2]) + thread_number * 7919
  place = start % length
  caller = start
end

-- As in callers.ts.
local function address(number)
  return string.format("X-Forwarded-For: 10.%d.%d.%d",
    math.floor(number / 65536), math.floor(number / 256) % 256, number % 256)
end

function request()
  place = (place + 1) % length
  caller = caller + 1
  local number = order[place] + 1
  local line = #callers > 0 and callers[caller % #callers + 1] or address(caller % ADDRESSES)
  return before[number] .. line .. after[number]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
