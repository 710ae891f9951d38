-- Acknowledges entries and deletes those that no other group needs.
-- KEYS[1] stream; ARGV[1] group; then the ids. Returns how many were pending.
local ids = {}
for i = 2, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
local acknowledged = redis.call('XACK', KEYS[1], ARGV[1], unpack(ids))
if redis.call('EXISTS', KEYS[1]) == 1 then
  deleteUnneeded(KEYS[1], ARGV[1], ids)
end
return acknowledged
