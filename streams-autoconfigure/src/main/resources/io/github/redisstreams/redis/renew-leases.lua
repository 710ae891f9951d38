-- Has pending entries count as just delivered, where the consumer still holds them.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; then the ids.
-- Returns the ids that the consumer does not hold, and those whose bodies are gone.
local lost, deleted = {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2]) == 0 then
    lost[#lost + 1] = id
  elseif #redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID') == 0 then
    deleted[#deleted + 1] = id
  end
end
return {lost, deleted}
