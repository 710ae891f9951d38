-- Puts a dead letter back into a stream. XADD comes before XDEL: a script whose first
-- write is refused for memory changes nothing. It never trims.
-- KEYS[1] dead-letter stream; KEYS[2] stream; for a task KEYS[3] its record;
-- ARGV[1] the dead letter's id; then the fields to write.
-- Returns the new id, or nil if the dead letter is gone.
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then
  return false
end
-- Or else it would be doubled. Servers before 7.0 cannot tell.
if redis.acl_check_cmd and not redis.acl_check_cmd('XDEL', KEYS[1], ARGV[1]) then
  return redis.error_reply('NOPERM this user may not XDEL from the dead letters')
end
local id = redis.call('XADD', KEYS[2], '*', unpack(ARGV, 2))
redis.call('XDEL', KEYS[1], ARGV[1])
-- Unless the record is gone, or another entry's by now
if KEYS[3] then
  local known = redis.pcall('HMGET', KEYS[3], 'state', 'retention')
  if known[1] == 'dead' then
    pcall(begin, KEYS[3], known[2] or 0, 0, 'state', 'queued', 'entry', id, 'queued', now())
  end
end
return id
