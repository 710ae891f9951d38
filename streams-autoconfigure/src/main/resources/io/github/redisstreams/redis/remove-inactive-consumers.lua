-- Removes the consumers of a group that have nothing pending and have long been inactive.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] for how many milliseconds. Returns their names.
local removed = {}
for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #info, 2 do
    consumer[info[i]] = info[i + 1]
  end
  if consumer['pending'] == 0 and consumer['idle'] >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer['name'])
    removed[#removed + 1] = consumer['name']
  end
end
return removed
