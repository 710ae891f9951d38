-- Deletes the first entries of a range, without sending them.
-- KEYS[1] stream; ARGV[1] first id; ARGV[2] last id; ARGV[3] how many, at most.
-- Returns how many were deleted.
local ids = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])) do
  ids[#ids + 1] = entry[1]
end
if #ids == 0 then
  return 0
end
return redis.call('XDEL', KEYS[1], unpack(ids))
