-- Counts the entries of a stream after an id, without sending them.
-- KEYS[1] stream; ARGV[1] the id to start after; ARGV[2] where to stop counting.
-- Pages, so that large entries are not all in memory at once.
local bound = tonumber(ARGV[2])
local start = '(' .. ARGV[1]
local count = 0
while count < bound do
  local page = redis.call('XRANGE', KEYS[1], start, '+', 'COUNT', math.min(100, bound - count))
  if #page == 0 then
    break
  end
  count = count + #page
  start = '(' .. page[#page][1]
end
return count
