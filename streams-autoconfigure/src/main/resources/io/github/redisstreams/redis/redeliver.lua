-- Delivers pending entries once more to the consumer that holds them.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; then for each entry its id and how often
-- it is then to count as delivered: the same when this is repeated after a lost reply.
-- Returns for each {id, delivery count, fields}; the count is 0 where the body is gone
-- (and then acknowledged), -1 where the consumer does not hold the entry.
local replies = {}
for i = 3, #ARGV, 2 do
  local id = ARGV[i]
  local pending = redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2])
  if #pending == 0 then
    replies[#replies + 1] = {id, -1}
  else
    local count = math.max(pending[1][4], tonumber(ARGV[i + 1]))
    local claimed = redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'RETRYCOUNT', count)
    if claimed[1] then
      replies[#replies + 1] = {id, count, claimed[1][2]}
    else
      redis.call('XACK', KEYS[1], ARGV[1], id)
      replies[#replies + 1] = {id, 0}
    end
  end
end
return replies
