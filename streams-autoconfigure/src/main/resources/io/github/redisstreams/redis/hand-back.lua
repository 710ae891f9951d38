-- Gives up pending entries for others to claim, where the consumer still holds them.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; then for each entry its id, how many
-- milliseconds it is to count as idle, and how often as delivered.
-- Returns how many it still held.
local held = 0
for i = 3, #ARGV, 3 do
  local id = ARGV[i]
  if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2]) > 0 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'IDLE', ARGV[i + 1], 'RETRYCOUNT', ARGV[i + 2], 'JUSTID')
    held = held + 1
  end
end
return held
