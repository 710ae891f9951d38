-- Trims a stream that has grown over its bounds, in whole nodes as Redis keeps them. Not
-- a script of its own: others begin with it.
-- More is trimmed next time, so that nobody has to wait for long.
local MOST_TRIMMED = 5000

-- The first id that is to stay: before it there is nothing that a group has still to be
-- given or, unless strict, has pending. Nil if there are no groups.
local function firstNeeded(stream, groups, strict)
  local first = nil
  local function consider(id)
    if id and (not first or before(id, first)) then
      first = id
    end
  end
  for _, group in ipairs(groups) do
    -- Even with entries pending: a group that was set back is given them once more
    consider(group['last-delivered-id'])
    if not strict and group['pending'] > 0 then
      consider(redis.call('XPENDING', stream, group['name'])[2])
    end
  end
  return first
end

-- Trims what is finished after the first entry that is pending. The server looks at every
-- entry for that until it has found enough, so only where there is enough to be found, and
-- not where very many are pending.
local function trimBehindPending(stream, groups, maxLength)
  local finished, pending = redis.call('XLEN', stream), 0
  for _, group in ipairs(groups) do
    if not group['lag'] then
      return
    end
    finished = finished - group['pending'] - group['lag']
    pending = pending + group['pending']
  end
  if finished > maxLength and pending <= MOST_TRIMMED then
    redis.call('XTRIM', stream, 'MAXLEN', '~', maxLength, 'LIMIT', MOST_TRIMMED, 'ACKED')
  end
end

local function trimTo(stream, mode, maxLength, retention)
  local excess = maxLength > 0 and math.min(redis.call('XLEN', stream) - maxLength, MOST_TRIMMED) or 0
  if excess <= 0 and retention == 0 then
    return 0
  end
  local groups = groupsOf(stream)
  local time = retention > 0 and now()
  if not groups or time == 0 then
    return -1
  end
  local oldest = time and string.format('%.0f-0', math.max(0, time - retention))
  local needed = firstNeeded(stream, groups, mode == 'strict')
  if needed then
    if excess > 0 then
      excess = excess - redis.call('XTRIM', stream, 'MINID', '~', needed, 'LIMIT', excess)
    end
    if oldest then
      redis.call('XTRIM', stream, 'MINID', '~', before(oldest, needed) and oldest or needed, 'LIMIT', MOST_TRIMMED)
    end
    if mode == 'acked' and excess > 0 then
      trimBehindPending(stream, groups, maxLength)
    end
    if mode ~= 'strict' then
      return 0
    end
  end
  -- What is left to trim somebody still needs, but for some in its first node
  local lost = 0
  local function drop(most, ...)
    local spare = needed and #redis.call('XRANGE', stream, '-', needed, 'COUNT', most) or 0
    if spare < most then
      local trimmed = redis.call('XTRIM', stream, ...)
      lost = lost + (needed and math.max(0, trimmed - spare) or 0)
    end
  end
  if excess > 0 then
    drop(excess, 'MAXLEN', '~', maxLength, 'LIMIT', excess)
  end
  if oldest and not (needed and before(oldest, needed)) then
    drop(MOST_TRIMMED, 'MINID', '~', oldest, 'LIMIT', MOST_TRIMMED)
  end
  return lost
end

-- mode: none, finished, acked (the same, where the server knows the word) or strict;
-- maxLength: how many entries to keep, 0 for any number; retention: how many milliseconds
-- to keep them, 0 for ever.
-- Returns how many entries are gone that some group had still to be given, or -1 where
-- the user may not do what it takes: what was added stays added.
local function trim(stream, mode, maxLength, retention)
  if mode == 'none' then
    return 0
  end
  local allowed, lost = pcall(trimTo, stream, mode, tonumber(maxLength), tonumber(retention))
  return allowed and lost or -1
end

-- Adds an entry. Where that is refused since memory is full, trims first: nothing else
-- would ever free what has been finished meanwhile. The server lets a script add that has
-- trimmed, even if there was nothing to trim, so that is for us to see.
-- Returns the entry's id, or an error; and how many are gone, as trim does.
local function addTo(stream, mode, maxLength, retention, arguments)
  local entry, lost = redis.pcall('XADD', stream, unpack(arguments)), 0
  if mode ~= 'none' and type(entry) == 'table' and string.find(entry.err, 'OOM', 1, true) then
    local length = redis.pcall('XLEN', stream)
    lost = math.max(0, trim(stream, mode, maxLength, retention))
    if type(length) == 'number' and redis.call('XLEN', stream) < length then
      entry = redis.pcall('XADD', stream, unpack(arguments))
    end
  end
  return entry, lost
end

