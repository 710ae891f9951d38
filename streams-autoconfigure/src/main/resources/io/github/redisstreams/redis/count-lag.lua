-- Counts the entries of a stream after an id and those before it, in turn, since either
-- number tells the other by the length of the stream.
-- KEYS[1] stream; ARGV[1] and ARGV[2] from where to go on forwards and backwards, as
-- XRANGE and XREVRANGE take it; ARGV[3] how many entries to look at, of which one of n KB
-- counts as n more.
-- Returns how many were found after it and where to go on; the same for those before it,
-- with nothing for where if that was all; and the stream's length.
local effort, page = tonumber(ARGV[3]), 1

-- Pages, so that large entries are not all in memory at once
local function count(command, from, to)
  local entries = redis.call(command, KEYS[1], from, to, 'COUNT', page)
  if #entries < page then
    effort = effort - #entries
    return #entries, ''
  end
  local last = entries[#entries]
  local bytes = 0
  for _, value in ipairs(last[2]) do
    bytes = bytes + #value
  end
  effort = effort - #entries * (1 + bytes / 1024)
  page = math.max(1, math.min(50, math.floor(effort / 2), math.floor(65536 / (bytes + 1))))
  return #entries, '(' .. last[1]
end

local found, after, passed, before = 0, ARGV[1], 0, ARGV[2]
repeat
  local entries
  entries, after = count('XRANGE', after, '+')
  found = found + entries
  if after ~= '' then
    entries, before = count('XREVRANGE', before, '-')
    passed = passed + entries
  end
until after == '' or before == '' or effort <= 0
return {found, after, passed, before, redis.call('XLEN', KEYS[1])}
