-- Drops a scheduled entry.
-- KEYS[1] stream; KEYS[2] delayed entries; KEYS[3] the fields of this one; KEYS[4] the
-- record of its task; ARGV[1] its id. Returns 1 if it was still scheduled.
local command = forbidden({'ZREM', KEYS[2], ARGV[1]}, {'DEL', KEYS[3]})
if command then
  return refuse(command)
end
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then
  return 0
end
redis.call('DEL', KEYS[3])
if stateOf(KEYS[4]) == 'scheduled' then
  redis.pcall('DEL', KEYS[4])
end
return 1
