-- wrk script: sends prepared requests (see requests.mjs for the file) and tells the result as one line of JSON.
-- Arguments: the file, and `cycle` (again and again until the time is over) or `once` (stop when each was answered once).
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } watchword_time;
  int clock_gettime(int clock, watchword_time *time);
]]

local threads = {}
local requests = {}
local position = 0
local time = ffi.new('watchword_time')

-- Global, because wrk hands a thread's variables to `done` by name.
started, elapsed, answered, refused = 0, 0, 0, 0

local function seconds()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local function each_once(status, _, body)
  answered = answered + 1
  if status ~= 200 or not body:find('"status":"OK"', 1, true) then refused = refused + 1 end
  if answered == #requests then
    elapsed = seconds() - started
    io.stdout:write('finished\n')
    io.stdout:flush()
    wrk.thread:stop()
  end
end

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  while true do
    local length = file:read('*n')
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
  if args[2] == 'once' then response = each_once end
end

function request()
  if started == 0 then started = seconds() end
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.stdout:write(string.format(
    '{"requests":%d,"microseconds":%d,"bytes":%d,"failed":%d,"p99Us":%d,"onceSeconds":%.6f,"onceAnswered":%d,"onceRefused":%d}\n',
    summary.requests, summary.duration, summary.bytes, failed, latency:percentile(99),
    threads[1]:get('elapsed'), threads[1]:get('answered'), threads[1]:get('refused')))
end
