-- What waits in a stream, by its ends, without sending any entry.
-- KEYS[1] stream; ARGV for each group its name and the last id that it was delivered.
-- Returns the server's time (seconds and microseconds, nothing where the user may not
-- ask), the stream's length, and for each group the first id that is pending and the
-- first that is undelivered, empty for none. A group that is gone gets no ids.
local time = redis.pcall('TIME')
if time.err then
  time = {}
end
local groups = {}
for i = 1, #ARGV, 2 do
  local pending = redis.pcall('XPENDING', KEYS[1], ARGV[i])
  if pending.err then
    groups[#groups + 1] = {}
  else
    local undelivered = redis.call('XRANGE', KEYS[1], '(' .. ARGV[i + 1], '+', 'COUNT', 1)
    groups[#groups + 1] = {pending[2] or '', undelivered[1] and undelivered[1][1] or ''}
  end
end
return {time, redis.call('XLEN', KEYS[1]), groups}
