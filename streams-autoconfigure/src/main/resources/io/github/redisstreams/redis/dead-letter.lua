-- Moves a pending entry to a dead-letter stream. XADD comes first: a script whose first
-- write is refused for memory changes nothing.
-- KEYS[1] stream; KEYS[2] dead-letter stream; ARGV[1] group; ARGV[2] consumer; ARGV[3] id;
-- ARGV[4] about how many dead letters to keep; ARGV[5] 1 to do nothing if the consumer
-- does not hold the entry; ARGV[6] 1 to delete the entry too; for a task
-- KEYS[3] its record, ARGV[7] how often it was delivered, and ARGV[8] what its handler
-- failed with; then the fields to write.
-- Returns its id there and how many older dead letters were dropped; nothing if it was
-- not moved.
if ARGV[5] == '1' and #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
  return {}
end
-- Or else it would be moved again and again. Servers before 7.0 cannot tell.
if redis.acl_check_cmd and not redis.acl_check_cmd('XACK', KEYS[1], ARGV[1], ARGV[3]) then
  return redis.error_reply('NOPERM this user may not XACK what is to become a dead letter')
end
local length = redis.call('XLEN', KEYS[2])
local id = redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', unpack(ARGV, 9))
local dropped = length + 1 - redis.call('XLEN', KEYS[2])
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
if KEYS[3] then
  finish(KEYS[3], ARGV[3], 'dead', ARGV[7], ARGV[2], ARGV[8])
end
if ARGV[6] == '1' then
  deleteUnneeded(KEYS[1], ARGV[1], {ARGV[3]})
end
return {id, dropped}
