-- Has a scheduled entry be due at another time.
-- KEYS[1] stream; KEYS[2] delayed entries; KEYS[3] the record of its task; ARGV[1] its
-- id; ARGV[2] and ARGV[3] when it is due: `at` a time or `after` a delay, in
-- milliseconds. Returns 1 if it was still scheduled.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 0
end
local time = now()
if time == 0 then
  return refuse('TIME')
end
local due = tonumber(ARGV[3]) + (ARGV[2] == 'after' and time or 0)
redis.call('ZADD', KEYS[2], 'XX', due, ARGV[1])
if stateOf(KEYS[3]) == 'scheduled' then
  redis.pcall('HSET', KEYS[3], 'scheduled', due)
  forgetAfter(KEYS[3], due - time)
end
return 1
