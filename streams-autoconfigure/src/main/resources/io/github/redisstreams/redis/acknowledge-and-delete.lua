-- Acknowledges entries and deletes those that no other group needs.
-- KEYS[1] stream; ARGV[1] group; then the ids. Returns how many were pending.
-- In portions, since Lua passes no more than some thousand arguments.
local acknowledged = 0
for from = 2, #ARGV, 1000 do
  local ids = {unpack(ARGV, from, math.min(from + 999, #ARGV))}
  acknowledged = acknowledged + redis.call('XACK', KEYS[1], ARGV[1], unpack(ids))
  deleteUnneeded(KEYS[1], ARGV[1], ids)
end
return acknowledged
