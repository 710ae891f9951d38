-- What the groups of a stream still need. Not a script of its own: others begin with it.
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

-- The groups, or those but one; nil where the user may not ask.
local function groupsOf(stream, without)
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  if groups.err then
    return nil
  end
  local found = {}
  for _, info in ipairs(groups) do
    local group = {}
    for i = 1, #info, 2 do
      group[info[i]] = info[i + 1]
    end
    if group['name'] ~= without then
      found[#found + 1] = group
    end
  end
  return found
end

-- Whether one of these groups has still to be given an entry or has it pending.
local function isNeeded(stream, groups, id)
  for _, group in ipairs(groups) do
    if before(group['last-delivered-id'], id) or #redis.call('XPENDING', stream, group['name'], id, id, 1) > 0 then
      return true
    end
  end
  return false
end

