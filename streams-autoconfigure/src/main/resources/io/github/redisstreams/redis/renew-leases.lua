-- Has pending entries count as just delivered, where the consumer still holds them.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; then the ids.
-- Returns the ids that the consumer does not hold though the stream has them, those that
-- are gone from the stream and have just left the pending list for that, and those that
-- were gone from both.
local lost, deleted, vanished = {}, {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2]) > 0 then
    if #redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID') == 0 then
      deleted[#deleted + 1] = id
    end
  else
    local entry = redis.pcall('XRANGE', KEYS[1], id, id)
    if #entry > 0 or entry.err then
      lost[#lost + 1] = id
    else
      vanished[#vanished + 1] = id
    end
  end
end
return {lost, deleted, vanished}
