-- Acknowledges entries and deletes those that no other group needs.
-- KEYS[1] stream; ARGV[1] group; then the ids. Returns how many were pending.
local ids = {}
for i = 2, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
local acknowledged = 0
-- Lua takes some 8000 values at once at most
for from = 1, #ids, 1000 do
  local to = math.min(from + 999, #ids)
  acknowledged = acknowledged + redis.call('XACK', KEYS[1], ARGV[1], unpack(ids, from, to))
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  deleteUnneeded(KEYS[1], ARGV[1], ids)
end
return acknowledged
