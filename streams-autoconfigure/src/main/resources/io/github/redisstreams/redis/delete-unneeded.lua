-- Deletes entries that no other group has still to be given or has pending. Not a script
-- of its own: others begin with it.
-- As digits, since numbers of a script are exact up to 2^53 only, and ids go further.
local function less(first, second)
  return #first < #second or (#first == #second and first < second)
end

local function before(first, second)
  local firstTime, firstSequence = string.match(first, '(%d+)-(%d+)')
  local secondTime, secondSequence = string.match(second, '(%d+)-(%d+)')
  if firstTime ~= secondTime then
    return less(firstTime, secondTime)
  end
  return less(firstSequence, secondSequence)
end

-- What the user may not do stays undone: the entries are acknowledged all the same.
local function deleteUnneeded(stream, group, ids)
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  if groups.err then
    return
  end
  local others = {}
  for _, info in ipairs(groups) do
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
      redis.pcall('XDEL', stream, id)
    end
  end
end

