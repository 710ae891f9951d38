-- Deletes entries that no other group has still to be given or has pending. Not a script
-- of its own: others begin with it.
local function before(first, second)
  local firstTime, firstSequence = string.match(first, '(%d+)-(%d+)')
  local secondTime, secondSequence = string.match(second, '(%d+)-(%d+)')
  if firstTime ~= secondTime then
    return tonumber(firstTime) < tonumber(secondTime)
  end
  return tonumber(firstSequence) < tonumber(secondSequence)
end

local function deleteUnneeded(stream, group, ids)
  local others = {}
  for _, info in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local other = {}
    for i = 1, #info, 2 do
      other[info[i]] = info[i + 1]
    end
    if other['name'] ~= group then
      others[#others + 1] = other
    end
  end
  for _, id in ipairs(ids) do
    local needed = false
    for _, other in ipairs(others) do
      needed = needed or before(other['last-delivered-id'], id)
        or #redis.call('XPENDING', stream, other['name'], id, id, 1) > 0
    end
    if not needed then
      redis.call('XDEL', stream, id)
    end
  end
end

