-- What wrk sends: the recorded requests in their order, each from the next caller.
-- Arguments: the file of requests, the file of callers, and the place in both to begin at.
-- A request is one line, its line breaks as tabs; a caller is one header line.

local before, after = {}, {}
local callers = {}
local place, caller

local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  local texts = {}
  for line in io.lines(args[1]) do
    local parts = texts[line]
    if not parts then
      local text = line:gsub("\t", "\r\n")
      local head, body = text:match("^(.-)\r\n\r\n(.*)$")
      parts = { (head or text) .. "\r\n", "\r\n\r\n" .. (body or "") }
      texts[line] = parts
    end
    before[#before + 1] = parts[1]
    after[#after + 1] = parts[2]
  end
  for line in io.lines(args[2]) do
    callers[#callers + 1] = line
  end
  -- Threads begin apart from each other.
  local start = tonumber(args[3]) + number * 7919
  place = start % #before
  caller = start % #callers
end

function request()
  place = place % #before + 1
  caller = caller % #callers + 1
  return before[place] .. callers[caller] .. after[place]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
